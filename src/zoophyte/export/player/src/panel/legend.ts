// What the arrows of contact forces mean.

import { type ForceArrows, SHORTENED_COLOUR, TRUE_COLOUR } from "../stage/forces";
import { element, figure, lengthName, roundBelow } from "./dom";

export class Legend {
  readonly root = element("p", { class: "legend", hidden: true });
  private readonly scale = element("span");
  private readonly limit = element("span");

  constructor() {
    this.root.append(row(TRUE_COLOUR, this.scale), row(SHORTENED_COLOUR, this.limit));
  }

  update(arrows: ForceArrows | null): void {
    this.root.hidden = !arrows;
    if (!arrows) return;
    const { force, length } = arrows.scale, shown = roundBelow(length);
    this.scale.textContent = `${forceName((force * shown) / length)} per ${lengthName(shown)}`;
    this.limit.textContent = `above ${forceName(force)}, shortened`;
  }
}

function row(colour: string, text: HTMLElement): HTMLElement {
  const arrow = element("i", { "aria-hidden": "true" });
  arrow.style.background = arrow.style.color = colour;
  return element("span", { class: "legend-row" }, arrow, text);
}

function forceName(newtons: number): string {
  if (newtons >= 1000) return `${figure(newtons / 1000, 2)} kN`;
  return newtons >= 0.1 ? `${figure(newtons, 2)} N` : `${figure(newtons * 1000, 2)} mN`;
}
