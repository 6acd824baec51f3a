// Strip charts below the scene: one for each chosen channel, with a cursor at the present time.

import type { Channel, Life } from "../data/life";
import { between } from "../data/tracks";
import { element, figure } from "./dom";

const INSET = 9; // pixels at both ends, as on the slider
const HEIGHT = 46;
const BAR_HEIGHT = 13;
const COLOURS = ["--line-1", "--line-2", "--line-3", "--line-4", "--line-5", "--line-6"];

interface Strip {
  channel: Channel;
  other: Channel | null;
  canvas: HTMLCanvasElement;
  values: HTMLElement[];
  range: HTMLElement; // what the lower and the upper edge stand for; beside the curves, which would run through it
  picture: HTMLCanvasElement;
}

export class Charts {
  readonly root = element("div", { class: "charts" });
  private strips: Strip[] = [];

  constructor(
    private readonly life: Life,
    private readonly ghost: Life | null,
    private readonly seek: (time: number) => void,
  ) {}

  get shown(): string[] {
    return this.strips.map((strip) => strip.channel.name);
  }

  /** What is worth seeing first. */
  static usual(life: Life, count: number): string[] {
    const names = life.channels.map((channel) => channel.name);
    const bars = life.channels.filter((channel) => channel.bars).map((channel) => channel.name);
    return [...bars, ...["height", "energy", "speed"].filter((name) => names.includes(name)), ...names].slice(0, names.length ? count : 0);
  }

  choose(names: string[]): void {
    this.root.replaceChildren();
    this.strips = this.life.channels.filter((channel) => names.includes(channel.name)).map((channel) => this.strip(channel));
    this.root.append(...this.strips.map((strip) => strip.canvas.parentElement as HTMLElement));
    this.root.hidden = !this.strips.length;
  }

  private strip(channel: Channel): Strip {
    const unit = channel.unit ? ` [${channel.unit}]` : "";
    const values = channel.bars ? [] : channel.columns.map((_, n) => element("span", { class: `value value-${n % COLOURS.length}` }));
    const name = element("span", { class: "strip-name" }, `${words(channel.name)}${unit}`), range = element("span", { class: "strip-range" });
    const head = element("div", { class: "strip-head" }, name, ...values, range);
    const height = channel.bars ? BAR_HEIGHT * channel.columns.length + 4 : HEIGHT;
    const canvas = element("canvas", { role: "img", "aria-label": `${words(channel.name)} over time` });
    canvas.style.height = `${height}px`;
    const drag = (event: PointerEvent): void => {
      const box = canvas.getBoundingClientRect();
      const share = (event.clientX - box.left - INSET) / (box.width - 2 * INSET);
      this.seek(this.life.start + Math.min(1, Math.max(0, share)) * (this.life.end - this.life.start));
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      drag(event);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (event.buttons & 1) drag(event);
    });
    element("div", { class: "strip" }, head, canvas);
    const other = this.ghost?.channels.find((each) => each.name === channel.name && each.columns.length === channel.columns.length) ?? null;
    return { channel, other, canvas, values, range, picture: document.createElement("canvas") };
  }

  /** Draws curves anew: after a change of size, theme or choice. */
  repaint(): void {
    for (const strip of this.strips) {
      const ratio = window.devicePixelRatio || 1;
      const width = strip.canvas.clientWidth, height = strip.canvas.clientHeight;
      for (const canvas of [strip.canvas, strip.picture]) {
        canvas.width = Math.max(1, Math.round(width * ratio));
        canvas.height = Math.max(1, Math.round(height * ratio));
      }
      const paint = strip.picture.getContext("2d");
      if (!paint) continue;
      paint.setTransform(ratio, 0, 0, ratio, 0, 0);
      const style = getComputedStyle(strip.canvas);
      if (strip.channel.bars) drawBars(paint, strip.channel, this.life, width, style);
      else drawCurves(paint, strip, this.life, this.ghost, width, height, style);
    }
  }

  update(time: number): void {
    const { frame, next, part } = this.life.moment(time);
    const share = this.life.end > this.life.start ? (time - this.life.start) / (this.life.end - this.life.start) : 0;
    for (const { channel, canvas, values, picture } of this.strips) {
      const paint = canvas.getContext("2d");
      if (!paint) continue;
      const ratio = canvas.width / Math.max(1, canvas.clientWidth);
      paint.clearRect(0, 0, canvas.width, canvas.height);
      paint.drawImage(picture, 0, 0);
      paint.fillStyle = getComputedStyle(canvas).getPropertyValue("--cursor");
      const x = (INSET + share * (canvas.clientWidth - 2 * INSET)) * ratio;
      paint.fillRect(Math.round(x - 0.75 * ratio), 0, Math.max(1, Math.round(1.5 * ratio)), canvas.height);
      values.forEach((span, n) => {
        const label = channel.columns.length > 1 ? `${channel.labels[n].replace(`${channel.name}.`, "")} ` : "";
        span.textContent = `${label}${figure(between(channel.columns[n], frame, next, part))}`;
      });
    }
  }
}

export function words(name: string): string {
  if (name === "com") return "centre of mass";
  return name.replaceAll("_", " ").replace(/^q:/, "joint ").replace(/^v:/, "rate of ");
}

function range(channels: (Channel | null)[]): [number, number] {
  let low = Infinity, high = -Infinity;
  for (const column of channels.flatMap((channel) => channel?.columns ?? [])) {
    for (const value of column) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  const flat = high - low <= 1e-7 * Math.max(Math.abs(low), Math.abs(high));
  const room = flat ? 0.5 * (Math.abs(high) || 1) : 0.08 * (high - low);
  return [low - room, high + room];
}

function drawCurves(
  paint: CanvasRenderingContext2D, strip: Strip, life: Life, ghost: Life | null, width: number, height: number, style: CSSStyleDeclaration,
): void {
  const [low, high] = range([strip.channel, strip.other]);
  const y = (value: number): number => height - 2 - ((height - 4) * (value - low)) / (high - low);
  paint.strokeStyle = style.getPropertyValue("--rule");
  paint.lineWidth = 1;
  for (const at of low < 0 && high > 0 ? [0] : []) line(paint, INSET, y(at), width - INSET, y(at));
  line(paint, INSET, height - 0.5, width - INSET, height - 0.5);
  const scale = (times: Life) => (time: number): number => INSET + ((width - 2 * INSET) * (time - times.start)) / (times.end - times.start || 1);
  if (strip.other && ghost) {
    paint.setLineDash([4, 3]);
    paint.globalAlpha = 0.6;
    paint.beginPath();
    paint.rect(0, 0, width, height);
    paint.clip();
    strip.other.columns.forEach((column, n) => curve(paint, ghost.times, column, scale(life), y, style.getPropertyValue(COLOURS[n % COLOURS.length])));
    paint.setLineDash([]);
    paint.globalAlpha = 1;
  }
  strip.channel.columns.forEach((column, n) => curve(paint, life.times, column, scale(life), y, style.getPropertyValue(COLOURS[n % COLOURS.length])));
  strip.range.textContent = rangeText(low, high);
}

/** What lies between the edges of a chart, in as many digits as tell its ends apart; the room beside the curves is left out. */
function rangeText(low: number, high: number): string {
  const room = (0.08 / 1.16) * (high - low);
  const ends = [low + room, high - room].map((value) => (Math.abs(value) < 1e-6 * (high - low) ? 0 : value));
  const digits = [3, 4, 5, 6, 7, 8].find((count) => figure(ends[0], count) !== figure(ends[1], count)) ?? 3;
  return ends.map((value) => figure(value, digits)).join(" … ");
}

function line(paint: CanvasRenderingContext2D, x: number, y: number, toX: number, toY: number): void {
  paint.beginPath();
  paint.moveTo(x, y);
  paint.lineTo(toX, toY);
  paint.stroke();
}

function curve(
  paint: CanvasRenderingContext2D, times: Float64Array, column: Float64Array, x: (time: number) => number, y: (value: number) => number,
  colour: string,
): void {
  paint.strokeStyle = colour;
  paint.lineWidth = 1.6;
  paint.lineJoin = "round";
  paint.beginPath();
  const at = (n: number): number => column[column.length === 1 ? 0 : n];
  for (let n = 0; n < times.length; n++) {
    if (n) paint.lineTo(x(times[n]), y(at(n)));
    else paint.moveTo(x(times[n]), y(at(n)));
  }
  paint.stroke();
}

/** Footfalls: a bar for every stretch of time in which a column is true. */
function drawBars(paint: CanvasRenderingContext2D, channel: Channel, life: Life, width: number, style: CSSStyleDeclaration): void {
  const x = (frame: number): number => INSET + ((width - 2 * INSET) * (life.times[frame] - life.start)) / (life.end - life.start || 1);
  channel.columns.forEach((column, row) => {
    const top = row * BAR_HEIGHT + 2;
    const at = (n: number): number => column[column.length === 1 ? 0 : n];
    paint.fillStyle = style.getPropertyValue(COLOURS[row % COLOURS.length]);
    for (let n = 0; n < life.times.length; n++) {
      if (at(n) < 0.5) continue;
      let end = n;
      while (end + 1 < life.times.length && at(end + 1) >= 0.5) end++;
      paint.fillRect(x(n), top, Math.max(1, x(Math.min(end + 1, life.times.length - 1)) - x(n)), BAR_HEIGHT - 4);
      n = end;
    }
    paint.fillStyle = style.getPropertyValue("--quiet");
    paint.font = `10px ${style.fontFamily}`;
    paint.fillText((channel.labels[row] ?? "").replace(`${channel.name}.`, ""), INSET + 2, top + BAR_HEIGHT - 6);
  });
}
