// The sheet of options: what is drawn, and which charts are shown.

import type { Life } from "../data/life";
import type { Switch } from "../stage/tableau";
import { words } from "./charts";
import { button, element } from "./dom";

const DRAWN: [Switch, string, string][] = [
  ["wire", "Wire-frame", "W"],
  ["strobe", "Stroboscope", "S"],
  ["com", "Centre of mass", "C"],
  ["axes", "Joint axes", "J"],
  ["names", "Names", "N"],
  ["forces", "Contact forces", "F"],
  ["ghost", "Ghost", "G"],
];

/** Of arrows: from an eighth of the usual length to eight times. */
export const MOST_DOUBLINGS = 3;

export interface SheetActions {
  flip(what: Switch): void;
  chart(name: string, on: boolean): void;
  stretch(doublings: number): void;
}

export class Sheet {
  readonly root: HTMLElement;
  private readonly boxes = new Map<string, HTMLInputElement>();
  private readonly length = element("input", {
    type: "range", class: "scrub", min: String(-MOST_DOUBLINGS), max: String(MOST_DOUBLINGS), step: "0.5", value: "0",
    "aria-label": "Length of arrows", title: "Length of arrows (, and .)",
  });

  constructor(life: Life, other: Life | null, actions: SheetActions) {
    const available = availableSwitches(life, other);
    const drawn = DRAWN.filter(([what]) => available.includes(what)).flatMap(([what, label, key]) => {
      const made = this.row(what, what === "ghost" && other ? `Ghost: ${other.name}` : label, key, () => actions.flip(what));
      return what === "forces" ? [made, this.lengthRow(actions)] : [made];
    });
    const charts = life.channels.map((channel) => {
      const name = `${words(channel.name)}${channel.unit ? ` [${channel.unit}]` : ""}`;
      return this.row(`chart ${channel.name}`, name, "", (on) => actions.chart(channel.name, on));
    });
    this.root = element("aside", { class: "sheet", "aria-label": "Options", hidden: true });
    this.root.append(
      element("header", {}, element("h2", {}, "Show"), button("Close", "close", () => this.toggle(false), "Esc")),
      ...drawn,
      element("h2", {}, charts.length ? "Charts" : ""),
      ...charts,
    );
  }

  private row(id: string, label: string, key: string, action: (on: boolean) => void): HTMLElement {
    const box = element("input", { type: "checkbox", role: "switch" });
    box.addEventListener("change", () => action(box.checked));
    this.boxes.set(id, box);
    return element("label", { class: "row" }, box, element("span", {}, label), ...(key ? [element("kbd", {}, key)] : []));
  }

  private lengthRow(actions: SheetActions): HTMLElement {
    this.length.addEventListener("input", () => actions.stretch(Number(this.length.value)));
    this.stretched(0);
    return element("label", { class: "row" }, element("span", {}, "Length"), this.length, element("kbd", {}, ","), element("kbd", {}, "."));
  }

  /** Arrows have been made longer or shorter. */
  stretched(doublings: number): void {
    this.length.value = String(doublings);
    this.length.style.setProperty("--share", String((doublings + MOST_DOUBLINGS) / (2 * MOST_DOUBLINGS)));
    this.length.setAttribute("aria-valuetext", `${2 ** doublings} times the usual length`);
  }

  mark(id: string, on: boolean): void {
    const box = this.boxes.get(id);
    if (box) box.checked = on;
  }

  get isOpen(): boolean {
    return !this.root.hidden;
  }

  toggle(on = this.root.hidden): void {
    this.root.hidden = !on;
  }
}

export function availableSwitches(life: Life, other: Life | null): Switch[] {
  const missing = new Set<Switch>();
  if (!life.arrowCount) missing.add("forces");
  if (!other) missing.add("ghost");
  if (!life.bodies.some((body) => body.axes.length)) missing.add("axes");
  return DRAWN.map(([what]) => what).filter((what) => !missing.has(what));
}
