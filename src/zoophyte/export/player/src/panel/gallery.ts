// Several lives: a card for each with its moving picture; a click opens the player.

import { PerspectiveCamera, Vector3 } from "three";
import type { EntryData, PageData } from "../data/format";
import { Life } from "../data/life";
import { type Viewpoint, obliqueTo, viewpoint } from "../stage/cameras";
import { Tableau } from "../stage/tableau";
import type { View } from "../stage/view";
import { words } from "./charts";
import { button, element } from "./dom";
import { currentTheme, onTheme, toggleTheme } from "./theme";

const WIDTH = 400, HEIGHT = 270; // of a picture
const SHADOW = 1024; // pixels of its shadow's map
const BUDGET = 9; // milliseconds of drawing per frame of the browser

interface Card {
  canvas: HTMLCanvasElement;
  entry: EntryData;
  tableau: Tableau | null;
  from: Viewpoint | null;
  camera: PerspectiveCamera;
  visible: boolean;
  reading: boolean;
  drawn: number;
}

/** Gives memory back; the last picture stays. */
function forget(card: Card): void {
  card.tableau?.dispose();
  card.tableau = null;
  card.reading = false;
}

export class Gallery {
  readonly root = element("main", { class: "gallery" });
  readonly cards: Card[] = [];
  private readonly observer: IntersectionObserver;
  private readonly forgetTheme: () => void;
  private ticking = 0;
  private turn = 0;
  private readonly began = performance.now();

  constructor(
    private readonly view: View,
    data: PageData,
    private readonly open: (entry: number) => void,
    openHelp: () => void,
    private readonly fail: (error: unknown) => void,
  ) {
    const grid = element("div", { class: "cards" });
    this.observer = new IntersectionObserver((changes) => {
      for (const { target, isIntersecting } of changes) {
        const card = this.cards.find((each) => each.canvas === target);
        if (!card) continue;
        card.visible = isIntersecting;
        if (!isIntersecting) forget(card);
      }
    }, { root: this.root, rootMargin: "120px" });
    data.entries.forEach((entry, n) => grid.append(this.card(entry, n)));
    const nav = element("nav", {}, button("Light or dark", "theme", toggleTheme, "T"), button("Keys", "help", openHelp, "?"));
    const count = `${data.entries.length} lives`;
    this.root.append(element("header", {}, element("div", {}, element("h1", {}, data.title), element("p", {}, count)), nav), grid);
    this.forgetTheme = onTheme(() => this.paint());
  }

  private card(entry: EntryData, number: number): HTMLElement {
    const canvas = element("canvas", { width: String(WIDTH), height: String(HEIGHT), "aria-hidden": "true" });
    const { life } = entry;
    const camera = new PerspectiveCamera(32, WIDTH / HEIGHT, 0.01, 1000);
    camera.up.set(0, 0, 1);
    this.cards.push({ canvas, entry, tableau: null, from: null, camera, visible: false, reading: false, drawn: 0 });
    const bodies = `${life.bodies.length} ${life.bodies.length === 1 ? "body" : "bodies"}`;
    const text = element("div", { class: "card-text" }, element("h2", {}, words(life.name)), element("p", {}, [bodies, life.note].filter(Boolean).join(" · ")));
    const card = element("button", { type: "button", class: "card", "aria-label": `Open ${life.name}` }, canvas, text);
    card.addEventListener("click", () => this.open(number));
    return card;
  }

  start(): void {
    for (const card of this.cards) this.observer.observe(card.canvas);
    this.tick();
  }

  stop(): void {
    cancelAnimationFrame(this.ticking);
    this.observer.disconnect();
    this.forgetTheme();
    this.cards.forEach(forget);
    this.root.remove();
  }

  private paint(): void {
    for (const card of this.cards) card.tableau?.paint(currentTheme());
  }

  /** As many pictures as fit into a moment, in turns: all move, however many there are. */
  private tick(): void {
    this.ticking = requestAnimationFrame(() => this.tick());
    const start = performance.now();
    const visible = this.cards.filter((card) => card.visible);
    for (let n = 0; n < visible.length && (n === 0 || performance.now() - start < BUDGET); n++) {
      const card = visible[this.turn++ % visible.length];
      if (card.tableau) this.draw(card, card.tableau);
      else if (!card.reading) void this.read(card);
    }
  }

  private async read(card: Card): Promise<void> {
    card.reading = true;
    try {
      const life = await Life.read(card.entry.life);
      if (!card.reading) return; // out of sight in the meantime
      card.tableau = new Tableau(life, null, SHADOW);
      card.tableau.paint(currentTheme());
    } catch (error) {
      this.fail(error);
    }
  }

  private draw(card: Card, tableau: Tableau): void {
    const { life, extent } = tableau;
    const length = life.end - life.start;
    const elapsed = (performance.now() - this.began) / 1000;
    const time = life.start + (length > 0 ? elapsed % length : 0);
    const follows = extent.isTraveller;
    const aim = (at: number): Vector3 =>
      follows ? extent.middleAt(at).add(extent.centre) : extent.shown.getCenter(new Vector3());
    const target = aim(time);
    card.from ??= viewpoint(life, extent, obliqueTo(life), follows ? extent.own : extent.shown, card.camera, aim);
    const { direction, distance } = card.from;
    card.camera.position.copy(target).addScaledVector(direction, distance);
    card.camera.near = 0.02 * extent.radius;
    card.camera.far = 60 * distance;
    card.camera.updateProjectionMatrix();
    card.camera.lookAt(target);
    this.view.resize(WIDTH, HEIGHT, 1.5);
    this.view.draw(tableau, card.camera, target, time, currentTheme());
    const { canvas } = card;
    if (canvas.width !== this.view.canvas.width) {
      canvas.width = this.view.canvas.width;
      canvas.height = this.view.canvas.height;
    }
    canvas.getContext("2d")?.drawImage(this.view.canvas, 0, 0);
    card.drawn++;
  }
}
