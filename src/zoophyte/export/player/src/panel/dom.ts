// Building the page. Texts that come from files are only ever set as text, never as markup.

type Child = Node | string;
type Attributes = Record<string, string | boolean | undefined>;

export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag, attributes: Attributes = {}, ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(name, "");
    else if (typeof value === "string") made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

export function button(label: string, icon: string | null, action: () => void, keys = ""): HTMLButtonElement {
  const title = keys ? `${label} (${keys})` : label;
  const made = element("button", { type: "button", "aria-label": label, title, class: icon ? "icon" : "text" });
  made.append(icon ? drawing(icon) : label);
  made.addEventListener("click", action);
  return made;
}

const ICONS: Record<string, string> = {
  play: "M8 5.2v13.6L19 12z",
  pause: "M7 5h3.6v14H7zM13.4 5H17v14h-3.6z",
  forward: "M7 6.2v11.6l8-5.8zM15.6 6.2H18v11.6h-2.4z",
  back: "M17 6.2v11.6L9 12zM6 6.2h2.4v11.6H6z",
  loop: "M7 7h8.2l-1.6-1.6L15 4l4 4-4 4-1.4-1.4L15.2 9H7v4H5V9a2 2 0 0 1 2-2zm10 10H8.8l1.6 1.6L9 20l-4-4 4-4 1.4 1.4L8.8 15H17v-4h2v4a2 2 0 0 1-2 2z",
  theme: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm0 2v14a7 7 0 0 1 0-14z",
  help: "M11 16.4h2v2h-2zM12 5.6a4 4 0 0 0-4 4h2a2 2 0 1 1 3.2 1.6c-1.2.9-2.2 1.7-2.2 3.6h2c0-1.1.7-1.6 1.6-2.3A4 4 0 0 0 12 5.6z",
  view: "M12 6C7 6 3.4 9.6 2 12c1.4 2.4 5 6 10 6s8.6-3.6 10-6c-1.4-2.4-5-6-10-6zm0 10a4 4 0 1 1 0-8 4 4 0 0 1 0 8zm0-2a2 2 0 1 0 0-4 2 2 0 0 0 0 4z",
  charts: "M4 4h2v14h14v2H4zM8 15.2l3.4-5.4 3 2.4L18.6 6l1.6 1.2-5.4 8-3-2.4L9.6 16.4z",
  gallery: "M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z",
  close: "M6.4 5 12 10.6 17.6 5 19 6.4 13.4 12l5.6 5.6-1.4 1.4-5.6-5.6L6.4 19 5 17.6l5.6-5.6L5 6.4z",
};

export function drawing(icon: string): SVGSVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", ICONS[icon]);
  svg.append(path);
  return svg;
}

/** A number as a person writes it: four digits, a true minus, no exponent unless it must be. */
export function figure(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text = size >= 1e5 || size < 1e-4 ? value.toExponential(digits - 2) : trimmed(value.toPrecision(digits));
  return text.replace("e+", "e").replaceAll("-", "−");
}

function trimmed(text: string): string {
  return text.includes("e") ? String(Number(text)) : text;
}

/** A length as a person says it. */
export function lengthName(metres: number): string {
  if (metres >= 1) return `${metres} m`;
  return metres >= 0.01 ? `${Math.round(metres * 100)} cm` : `${figure(metres * 1000, 2)} mm`;
}

/** The largest of 1, 2, 5, 10, 20 … times a power of ten that is not above a number. */
export function roundBelow(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return [5, 2, 1].map((part) => part * power).find((round) => round <= 1.0001 * value) ?? power;
}
