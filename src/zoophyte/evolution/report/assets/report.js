// The report's page: theme, curves that tell values, the family tree, and the player in its frame.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("report-data").textContent);
  const one = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const node = (tag, attributes = {}, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  };
  const figure = (value) => {
    if (value === null || value === undefined || !Number.isFinite(value)) return "–";
    return String(Number(value.toPrecision(4))).replaceAll("-", "−");
  };

  // ---------------------------------------------------------------------------------------------------- theme

  const KEY = "zoophyte-theme"; // shared with the player
  const remembered = () => { try { return localStorage.getItem(KEY); } catch { return null; } };
  const theme = () => document.documentElement.dataset.theme;
  const player = () => one(".stage iframe")?.contentWindow?.zoophyte;
  const setTheme = (name) => {
    document.documentElement.dataset.theme = name;
    const inner = one(".stage iframe")?.contentDocument;
    if (inner && player() && inner.documentElement.dataset.theme !== name) {
      inner.dispatchEvent(new KeyboardEvent("keydown", { key: "t" }));
    }
  };
  const dark = matchMedia("(prefers-color-scheme: dark)");
  setTheme(remembered() ?? (dark.matches ? "dark" : "light"));
  dark.addEventListener("change", () => { if (!remembered()) setTheme(dark.matches ? "dark" : "light"); });
  one("#theme").addEventListener("click", () => {
    const name = theme() === "dark" ? "light" : "dark";
    try { localStorage.setItem(KEY, name); } catch { /* the choice then lasts as long as the page */ }
    setTheme(name);
  });

  // --------------------------------------------------------------------------------------------------- curves

  for (const plot of all(".plot")) {
    const series = data.plots[plot.dataset.plot];
    const tip = node("div", { class: "tip", hidden: "" });
    plot.append(tip);
    for (const svg of all("svg.curves", plot)) {
      const frame = JSON.parse(svg.dataset.frame), panels = JSON.parse(svg.dataset.panels);
      const cursor = document.createElementNS("http://www.w3.org/2000/svg", "path");
      cursor.setAttribute("class", "cursor");
      svg.append(cursor);
      const leave = () => { tip.hidden = true; cursor.setAttribute("d", ""); };
      const tell = (event) => {
        const box = svg.getBoundingClientRect(), scale = svg.viewBox.baseVal.width / box.width;
        const share = ((event.clientX - box.left) * scale - frame.left) / frame.width;
        if (share < -0.03 || share > 1.03) return leave();
        const wanted = Math.round(frame.low + Math.min(1, Math.max(0, share)) * (frame.high - frame.low));
        const x = frame.left + (frame.width * (wanted - frame.low)) / (frame.high - frame.low);
        cursor.setAttribute("d", panels.map((panel) => `M${x} ${panel.top}v${panel.height}`).join(""));
        const rows = series.flatMap((line) => {
          const at = line.x.indexOf(wanted);
          if (at < 0 || line.y[at] === null) return [];
          const value = line.to ? `${figure(line.y[at])} – ${figure(line.to[at])}` : figure(line.y[at]);
          return [node("span", {}, node("i", { class: `c${line.colour}` }, line.label), value)];
        });
        tip.replaceChildren(node("b", {}, `generation ${wanted}`), ...rows);
        tip.hidden = !rows.length;
        const place = x / scale, room = plot.clientWidth;
        tip.style.left = `${Math.max(0, Math.min(place + 14, room - tip.offsetWidth))}px`;
        if (place + 14 + tip.offsetWidth > room) tip.style.left = `${Math.max(0, place - tip.offsetWidth - 14)}px`;
        tip.style.top = `${panels[0].top / scale + 8}px`;
      };
      svg.addEventListener("pointermove", tell);
      svg.addEventListener("pointerdown", tell);
      svg.addEventListener("pointerleave", leave);
    }
  }

  // --------------------------------------------------------------------------------------------------- player

  const stage = one(".stage");
  let ready = null;
  const open = () => {
    ready ??= new Promise((done) => {
      const frame = node("iframe", { title: "Replay", allow: "fullscreen" });
      frame.addEventListener("load", () => frame.contentWindow.zoophyte?.ready.then(() => { setTheme(theme()); done(); }));
      frame.srcdoc = JSON.parse(document.getElementById("replays").textContent);
      stage.append(frame);
    });
    return ready;
  };
  const show = async (entry, scroll) => {
    for (const card of all("button.card")) card.setAttribute("aria-pressed", String(Number(card.dataset.entry) === entry));
    if (scroll) stage.scrollIntoView({ block: "nearest", behavior: "smooth" });
    await open();
    if (data.lives.length > 1) await player().open(entry);
  };
  if (stage) {
    for (const card of all("button.card")) card.addEventListener("click", () => show(Number(card.dataset.entry), true));
    const observer = new IntersectionObserver((changes) => {
      if (!changes.some((change) => change.isIntersecting)) return;
      observer.disconnect();
      show(0, false);
    });
    observer.observe(stage);
  }

  // ---------------------------------------------------------------------------------------------- family tree

  const pairs = (step) => [
    ["generation", String(step.generation)], ["made by", step.operator],
    ["fitness", figure(step.fitness)],
    ...(step.gain === null ? [] : [["gain", (step.gain > 0 ? "+" : "") + figure(step.gain)]]),
    ...(step.parents.length ? [["parents", step.parents.map((p) => `#${p.number}${p.fitness === null ? "" : ` (${figure(p.fitness)})`}`).join(", ")]] : []),
    ...(step.copies ? [["copied", `${step.copies} times`]] : []),
    ["life", step.reason ? `${step.status}: ${step.reason}` : step.status],
    ...Object.entries(step.descriptors).map(([name, value]) => [name.replaceAll("_", " "), figure(value)]),
  ];
  for (const family of all(".family")) {
    const steps = data.trees[family.dataset.tree], told = one(".told", family);
    const choose = (number) => {
      for (const row of all(".step", family)) row.classList.toggle("chosen", Number(row.dataset.step) === number);
      const step = steps[number];
      const list = node("dl", {}, ...pairs(step).flatMap(([name, value]) => [node("dt", {}, name), node("dd", {}, value)]));
      told.replaceChildren(node("h3", {}, `#${step.number}`), list);
      const entry = data.lives.findIndex((life) => life.run === family.dataset.tree && life.number === step.number);
      if (stage && entry >= 0) {
        const watch = node("button", { type: "button", class: "plain" }, "Watch it");
        watch.addEventListener("click", () => show(entry, true));
        told.append(watch);
      }
    };
    for (const row of all(".step", family)) {
      row.addEventListener("click", () => choose(Number(row.dataset.step)));
      row.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        choose(Number(row.dataset.step));
      });
    }
    choose(0);
    const trunk = one(".trunk", family), button = one(".unfold button", family);
    button?.addEventListener("click", () => {
      const folded = trunk.classList.toggle("folded");
      button.textContent = folded ? button.dataset.more : "Show less";
    });
  }

  // What tests, and whoever opens the console, may ask for.
  window.zoophyte = { ready: Promise.resolve(), show, theme, player };
})();
