// The page: reads what it carries, and shows a player for one life or a gallery for several.

import "./style.css";
import type { PageData } from "./data/format";
import { Life } from "./data/life";
import { element } from "./panel/dom";
import { Gallery } from "./panel/gallery";
import { helpPage } from "./panel/help";
import { Player } from "./panel/player";
import { startTheme, toggleTheme } from "./panel/theme";
import { CAMERAS, type CameraName } from "./stage/cameras";
import { SWITCHES, type Switch } from "./stage/tableau";
import { View } from "./stage/view";

class Page {
  private player: Player | null = null;
  private gallery: Gallery | null = null;
  private readonly help: HTMLDialogElement;
  private readonly view: View;

  constructor(private readonly data: PageData) {
    this.view = new View();
    this.help = helpPage(data.version);
    document.body.append(this.help);
    document.addEventListener("keydown", (event) => this.key(event));
  }

  async start(): Promise<void> {
    if (this.data.entries.length === 1) await this.open(0);
    else this.showGallery();
  }

  showGallery(): void {
    this.close();
    this.gallery = new Gallery(this.view, this.data, (entry) => void this.open(entry).catch(report), () => this.help.showModal(), report);
    document.body.prepend(this.gallery.root);
    this.gallery.start();
  }

  async open(entry: number): Promise<void> {
    const { life, ghost } = this.data.entries[entry];
    const [shown, other] = await Promise.all([Life.read(life), ghost ? Life.read(ghost) : null]);
    this.close();
    const leave = this.data.entries.length > 1 ? () => this.showGallery() : null;
    this.player = new Player(this.view, shown, other, () => this.help.showModal(), leave);
    document.body.prepend(this.player.root);
    this.player.start();
  }

  private close(): void {
    this.player?.stop();
    this.gallery?.stop();
    this.player = this.gallery = null;
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || this.help.open) return;
    const inList = event.target instanceof HTMLSelectElement;
    const pressed = event.target instanceof HTMLButtonElement && (event.key === " " || event.key === "Enter");
    const ownSlider = event.target instanceof HTMLElement && event.target.closest(".sheet [type=range]") && /^(Arrow|Home|End)/.test(event.key);
    if (inList || pressed || ownSlider) return;
    if (event.key === "?") this.help.showModal();
    else if (event.key.toLowerCase() === "t") toggleTheme();
    else if (!this.player?.key(event)) return;
    event.preventDefault();
  }

  /** What tests, and whoever opens the console, may ask for. */
  hooks(ready: Promise<void>): object {
    const player = (): Player => {
      if (!this.player) throw new Error("no life is open");
      return this.player;
    };
    return {
      ready,
      entries: this.data.entries.map((entry) => entry.life.name),
      open: (entry: number) => this.open(entry),
      gallery: () => this.showGallery(),
      play: () => player().play(true),
      pause: () => player().play(false),
      seek: (time: number) => player().seek(time),
      step: (frames: number) => player().step(frames),
      camera: (name: CameraName) => (CAMERAS.includes(name) ? player().chooseCamera(name) : undefined),
      flip: (what: Switch) => (SWITCHES.includes(what) ? player().flip(what) : undefined),
      pose: () => ({ position: [...player().tableau.pose.position], rotation: [...player().tableau.pose.rotation] }),
      groundAt: (x: number, y: number) => player().life.ground.heightAt(x, y),
      arrows: () => player().tableau.arrows?.drawn ?? [],
      channel: (name: string) => player().life.channels.find((each) => each.name === name)?.columns.map((column) => [...column]),
      state: () => this.state(),
    };
  }

  private state(): object {
    const { player, gallery } = this;
    return {
      view: player ? "player" : "gallery",
      drawnFrames: this.view.drawn,
      cards: gallery?.cards.map((card) => ({ name: card.entry.life.name, drawn: card.drawn })) ?? [],
      ...(player && {
        drawnBodies: player.tableau.drawnBodies,
        drawnThreads: player.tableau.drawnThreads,
        drawCalls: this.view.drawCalls,
        time: player.clock.time,
        start: player.life.start,
        end: player.life.end,
        frames: player.life.times.length,
        running: player.clock.isRunning,
        speed: player.clock.speed,
        loop: player.clock.loop,
        camera: player.rig.name,
        eye: player.rig.camera.position.toArray(),
        target: player.rig.controls.target.toArray(),
        shown: player.tableau.shown,
        charts: player.charts.shown,
        names: player.namesDrawn,
        ground: player.life.ground.kind,
        groundBelow: player.tableau.extent.groundAt(...player.rig.controls.target.toArray().slice(0, 2) as [number, number]),
      }),
    };
  }
}

function report(error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  document.body.prepend(element("p", { class: "failure", role: "alert" }, `This replay cannot be shown: ${reason}.`));
}

function begin(): void {
  startTheme();
  try {
    const data = JSON.parse(document.getElementById("zoophyte-page")?.textContent ?? "") as PageData;
    const page = new Page(data);
    const ready = page.start();
    ready.catch(report);
    Object.assign(window, { zoophyte: page.hooks(ready) });
  } catch (error) {
    report(error);
  }
}

begin();
