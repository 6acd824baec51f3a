// The picker: marks creatures as parents, kept or deleted, and hands the choice to Python, or shows the command for it.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("report-data").textContent);
  const one = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  const KEY = "zoophyte-theme";
  const remembered = () => { try { return localStorage.getItem(KEY); } catch { return null; } };
  const setTheme = (name) => { document.documentElement.dataset.theme = name; };
  const dark = matchMedia("(prefers-color-scheme: dark)");
  setTheme(remembered() ?? (dark.matches ? "dark" : "light"));
  one("#theme").addEventListener("click", () => {
    const name = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    try { localStorage.setItem(KEY, name); } catch { /* the choice then lasts as long as the page */ }
    setTheme(name);
  });

  // --------------------------------------------------------------------------------------------------- marking

  const MARKS = ["parents", "keep", "delete"];
  const WORDS = { parents: "parent", keep: "kept", delete: "deleted" };
  const marks = new Map();
  let mode = "parents", watched = null;
  const chosen = () => Object.fromEntries(MARKS.map((mark) => [mark, data.numbers.filter((n) => marks.get(n) === mark)]));
  const setMode = (name) => {
    mode = name;
    for (const button of all(".tools .modes button")) button.setAttribute("aria-checked", String(button.dataset.mode === name));
  };
  const toggle = (number, mark) => {
    if (marks.get(number) === mark) marks.delete(number);
    else marks.set(number, mark);
    paint();
  };
  const paint = () => {
    for (const button of all("#theatre .modes button")) button.setAttribute("aria-checked", String(marks.get(watched) === button.dataset.mode));
    for (const card of all(".creature")) {
      const mark = marks.get(Number(card.dataset.number)) ?? "";
      card.dataset.mark = mark;
      one(".mark", card).textContent = WORDS[mark] ?? "";
      one(".pick", card).setAttribute("aria-pressed", String(Boolean(mark)));
    }
    const now = chosen();
    const counts = MARKS.map((mark) => now[mark].length);
    const some = counts.some(Boolean);
    one("#counts").textContent = some
      ? [`${counts[0]} ${counts[0] === 1 ? "parent" : "parents"}`, `${counts[1]} kept`, `${counts[2]} deleted`].filter((_, n) => counts[n]).join(" · ")
      : "nobody is chosen yet";
    const options = [["--choose", now.parents], ["--keep", now.keep], ["--delete", now.delete]].filter(([, list]) => list.length);
    one("#command").textContent = [data.command, ...options.map(([name, list]) => `${name} ${list.join(",")}`)].join(" ");
    for (const button of all("#send, #copy, #clear")) button.disabled = !some;
  };
  for (const card of all(".creature")) {
    one(".pick", card).addEventListener("click", () => toggle(Number(card.dataset.number), mode));
    one(".watch", card)?.addEventListener("click", () => watch(Number(card.dataset.number)));
  }
  for (const button of all(".tools .modes button")) button.addEventListener("click", () => setMode(button.dataset.mode));
  for (const button of all("#theatre .modes button")) button.addEventListener("click", () => toggle(watched, button.dataset.mode));
  one("#clear").addEventListener("click", () => { marks.clear(); paint(); });
  document.addEventListener("keydown", (event) => {
    const name = { p: "parents", k: "keep", d: "delete" }[event.key.toLowerCase()];
    if (name && !event.ctrlKey && !event.metaKey && !event.altKey) setMode(name);
  });

  // -------------------------------------------------------------------------------------------------- watching

  const theatre = one("#theatre");
  const ask = async (path, options = {}) => {
    const answer = await fetch(path, { cache: "no-store", credentials: "omit", ...options });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text || `the server answered ${answer.status}`);
    return text;
  };
  async function watch(number) {
    const frame = document.createElement("iframe");
    frame.title = `Individual ${number}`;
    watched = number;
    one("h2", theatre).textContent = `#${number}`;
    paint();
    one(".theatre-stage", theatre).replaceChildren(frame);
    theatre.showModal();
    try {
      if (data.served) frame.srcdoc = await ask(`life/${number}`);
      else {
        frame.addEventListener("load", () => frame.contentWindow.zoophyte?.ready.then(() => data.lives.length > 1 && frame.contentWindow.zoophyte.open(data.lives.indexOf(number))));
        frame.srcdoc = JSON.parse(document.getElementById("replays").textContent);
      }
    } catch (error) { say(error.message, true); theatre.close(); }
  }
  one("#close").addEventListener("click", () => theatre.close());
  theatre.addEventListener("close", () => one(".theatre-stage", theatre).replaceChildren());

  // --------------------------------------------------------------------------------------------------- sending

  const say = (text, bad = false) => {
    const place = one("#said");
    place.textContent = text;
    place.classList.toggle("bad", bad);
  };
  one("#send")?.addEventListener("click", async () => {
    one("#send").disabled = true;
    say("sent; breeding …");
    try {
      const told = JSON.parse(await ask("choice", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(chosen()) }));
      if (told.again) return location.reload();
      document.body.classList.add("over");
      say(told.words);
    } catch (error) {
      say(error.message, true);
      one("#send").disabled = false;
    }
  });
  one("#copy")?.addEventListener("click", async () => {
    try { await navigator.clipboard.writeText(one("#command").textContent); say("copied"); }
    catch { getSelection().selectAllChildren(one("#command")); say("press Ctrl+C"); }
  });

  setMode("parents");
  paint();
  window.zoophyte = { ready: Promise.resolve(), chosen, watch };
})();
