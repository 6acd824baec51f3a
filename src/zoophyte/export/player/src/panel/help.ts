// The page of keys.

import { button, element } from "./dom";

const KEYS: [string, string][] = [
  ["Space", "play or pause"],
  ["← →", "one frame back or forward (Shift: ten)"],
  ["Home End", "to the start or the end"],
  ["[ ]", "slower, faster"],
  ["L", "loop"],
  ["1 … 5", "camera: orbit, follow, ground, top, side"],
  ["R", "put the camera back"],
  ["W", "wire-frame or solid"],
  ["S", "stroboscope: copies along time"],
  ["C", "centre of mass and its path"],
  ["J", "joint axes"],
  ["N", "names of bodies"],
  ["F", "contact forces, where recorded"],
  [", .", "their arrows shorter, longer"],
  ["G", "ghost of the other life, where there is one"],
  ["H", "charts"],
  ["T", "light or dark"],
  ["Esc", "close; back to the gallery"],
  ["?", "this page"],
];

export function helpPage(version: string): HTMLDialogElement {
  const rows = KEYS.flatMap(([keys, what]) => [
    element("dt", {}, ...keys.split(" ").map((key) => (key === "…" ? "…" : element("kbd", {}, key)))),
    element("dd", {}, what),
  ]);
  const dialog = element("dialog", { class: "help", "aria-label": "Keys" });
  const close = button("Close", "close", () => dialog.close());
  dialog.append(
    element("header", {}, element("h2", {}, "Keys"), close),
    element("dl", {}, ...rows),
    element("p", {}, "Drag to turn, drag with the right button or two fingers to move, wheel or pinch to come closer."),
    element("p", { class: "quiet" }, `Made with Zoophyte ${version}. Drawn with three.js (MIT licence).`),
  );
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  return dialog;
}
