// The player: a stage with a life on it, a timeline with charts, buttons and keys.

import type { Life } from "../data/life";
import { CAMERAS, type CameraName, Rig } from "../stage/cameras";
import { drawNames } from "../stage/labels";
import { type Switch, Tableau } from "../stage/tableau";
import type { View } from "../stage/view";
import { Charts, words } from "./charts";
import { Clock, SPEEDS, speedName } from "./clock";
import { button, drawing, element, figure, lengthName } from "./dom";
import { Legend } from "./legend";
import { MOST_DOUBLINGS, Sheet, availableSwitches } from "./sheet";
import { currentTheme, onTheme, toggleTheme } from "./theme";

const CAMERA_LABELS: Record<CameraName, string> = { orbit: "Orbit", follow: "Follow", ground: "Ground", top: "Top", side: "Side" };
const LONGEST_TICK = 0.1; // seconds: a page in the background does not leap when it comes back
const SMALL = 640; // pixels
const SLOW_TICK = 0.055, SLOW_TICKS = 20; // seconds, and how many such in a row call for coarser drawing

export class Player {
  readonly root = element("main", { class: "player" });
  readonly clock: Clock;
  readonly tableau: Tableau;
  readonly rig: Rig;
  readonly charts: Charts;
  private readonly sheet: Sheet;
  private readonly stage = element("div", { class: "stage" });
  private readonly names = element("canvas", { class: "names", "aria-hidden": "true" });
  private readonly slider = element("input", { type: "range", class: "scrub", min: "0", max: "1", step: "any", "aria-label": "Time" });
  private readonly timeLabel = element("output", { class: "time" });
  private readonly scaleLabel = element("p", { class: "scale" });
  private readonly legend = new Legend();
  private readonly frameLabel = element("span", { class: "frame" });
  private readonly playButton = button("Play", "play", () => this.togglePlay(), "Space");
  private readonly speedList = element("select", { class: "speed", "aria-label": "Speed", title: "Speed ([ and ])" });
  private readonly loopButton = button("Loop", "loop", () => this.setLoop(!this.clock.loop), "L");
  private readonly cameraButtons = new Map<CameraName, HTMLButtonElement>();
  private readonly observer: ResizeObserver;
  private readonly forgetTheme: () => void;
  private dirty = true;
  private doublings = 0;
  private last = 0;
  private ticking = 0;
  private slowTicks = 0;
  namesDrawn = 0;

  constructor(
    private readonly view: View,
    readonly life: Life,
    readonly other: Life | null,
    private readonly openHelp: () => void,
    private readonly leave: (() => void) | null,
  ) {
    this.clock = new Clock(life);
    this.tableau = new Tableau(life, other);
    this.rig = new Rig(view.canvas, life, this.tableau.extent);
    this.charts = new Charts(life, other, (time) => this.seek(time));
    this.sheet = new Sheet(life, other, {
      flip: (what) => this.flip(what), chart: (name, on) => this.setChart(name, on), stretch: (doublings) => this.stretch(doublings),
    });
    this.stage.append(view.canvas, this.names, this.header(), this.legend.root, this.scaleLabel, this.sheet.root);
    this.root.append(this.stage, this.dock());
    this.observer = new ResizeObserver(() => this.resize());
    this.forgetTheme = onTheme(() => this.repaint());
    this.rig.controls.addEventListener("change", () => (this.dirty = true));
  }

  /** Begins, once the page holds it. */
  start(): void {
    this.chooseCharts(Charts.usual(this.life, window.innerHeight < 620 ? 0 : window.innerWidth < SMALL ? 1 : 2));
    this.observer.observe(this.stage);
    this.resize();
    this.rig.choose(this.rig.name, this.clock.time);
    this.chooseCamera(this.rig.name);
    if (this.other) this.flip("ghost");
    if (this.life.data.look.ghosts) this.flip("strobe");
    this.repaint();
    this.setLoop(true);
    this.setSpeed(1);
    this.tick(performance.now());
    this.play(this.life.times.length > 1 && !window.matchMedia("(prefers-reduced-motion: reduce)").matches);
  }

  stop(): void {
    cancelAnimationFrame(this.ticking);
    this.observer.disconnect();
    this.forgetTheme();
    this.rig.dispose();
    this.tableau.dispose();
    this.root.remove();
  }

  // ---------------------------------------------------------------------------------------------------- building

  private header(): HTMLElement {
    const seconds = this.life.end - this.life.start;
    const facts = [`${this.life.bodies.length} ${this.life.bodies.length === 1 ? "body" : "bodies"}`, `${figure(seconds, 3)} s`];
    if (this.life.data.note) facts.push(this.life.data.note);
    const title = element("div", { class: "title" }, element("h1", {}, words(this.life.name)), element("p", {}, facts.join(" · ")));
    const buttons = element(
      "nav", { "aria-label": "Page" },
      button("Options", "view", () => this.sheet.toggle(), "O"),
      button("Charts", "charts", () => this.toggleCharts(), "H"),
      button("Light or dark", "theme", toggleTheme, "T"),
      button("Keys", "help", this.openHelp, "?"),
    );
    const bar = element("header", { class: "top" }, title, buttons);
    if (this.leave) bar.prepend(button("All", "gallery", this.leave, "Esc"));
    return bar;
  }

  private dock(): HTMLElement {
    this.slider.addEventListener("input", () => {
      this.play(false);
      this.seek(this.life.start + Number(this.slider.value) * (this.life.end - this.life.start));
    });
    for (const speed of SPEEDS) this.speedList.append(element("option", { value: String(speed) }, speedName(speed)));
    this.speedList.addEventListener("change", () => this.setSpeed(Number(this.speedList.value)));
    const cameras = element("div", { class: "cameras", role: "radiogroup", "aria-label": "Camera" });
    CAMERAS.forEach((name, n) => {
      const made = button(CAMERA_LABELS[name], null, () => this.chooseCamera(name), String(n + 1));
      made.setAttribute("role", "radio");
      this.cameraButtons.set(name, made);
      cameras.append(made);
    });
    this.playButton.classList.add("play");
    const transport = element(
      "div", { class: "transport" },
      button("Back one frame", "back", () => this.step(-1), "←"),
      this.playButton,
      button("Forward one frame", "forward", () => this.step(1), "→"),
    );
    const clock = element("div", { class: "clock" }, this.timeLabel, this.frameLabel);
    const pace = element("div", { class: "pace" }, this.speedList, this.loopButton);
    return element(
      "section", { class: "dock", "aria-label": "Timeline" },
      this.charts.root, this.slider, element("div", { class: "controls" }, transport, clock, pace, cameras),
    );
  }

  // ----------------------------------------------------------------------------------------------------- actions

  play(on: boolean): void {
    this.clock.run(on);
    const running = this.clock.isRunning;
    if (this.playButton.dataset.running !== String(running)) {
      this.playButton.dataset.running = String(running);
      this.playButton.replaceChildren(drawing(running ? "pause" : "play"));
      this.playButton.setAttribute("aria-label", running ? "Pause" : "Play");
    }
    this.dirty = true;
  }

  togglePlay(): void {
    this.play(!this.clock.isRunning);
  }

  seek(time: number): void {
    this.clock.seek(time);
    this.dirty = true;
  }

  step(frames: number): void {
    this.clock.step(frames);
    this.play(false);
  }

  setSpeed(speed: number): void {
    this.clock.speed = speed;
    this.speedList.value = String(speed);
  }

  changeSpeed(by: number): void {
    const place = SPEEDS.indexOf(this.clock.speed) + by;
    this.setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, place))]);
  }

  setLoop(on: boolean): void {
    this.clock.loop = on;
    this.loopButton.setAttribute("aria-pressed", String(on));
  }

  chooseCamera(name: CameraName): void {
    this.rig.choose(name, this.clock.time);
    for (const [each, made] of this.cameraButtons) made.setAttribute("aria-checked", String(each === name));
    this.dirty = true;
  }

  flip(what: Switch): void {
    if (!availableSwitches(this.life, this.other).includes(what)) return;
    this.tableau.show(what, !this.tableau.shown[what]);
    this.sheet.mark(what, this.tableau.shown[what]);
    this.dirty = true;
  }

  /** Arrows of forces twice as long, so many times; half as long for negative ones. */
  stretch(doublings: number): void {
    this.doublings = Math.min(MOST_DOUBLINGS, Math.max(-MOST_DOUBLINGS, doublings));
    this.tableau.stretch(2 ** this.doublings);
    this.sheet.stretched(this.doublings);
    this.dirty = true;
  }

  setChart(name: string, on: boolean): void {
    this.chooseCharts(on ? [...this.charts.shown, name] : this.charts.shown.filter((each) => each !== name));
  }

  private chooseCharts(names: string[]): void {
    this.charts.choose(names);
    for (const channel of this.life.channels) this.sheet.mark(`chart ${channel.name}`, names.includes(channel.name));
    this.charts.repaint();
    this.dirty = true;
  }

  toggleCharts(): void {
    this.chooseCharts(this.charts.shown.length ? [] : Charts.usual(this.life, 2));
  }

  /** A key; says whether it meant something. */
  key(event: KeyboardEvent): boolean {
    const far = event.shiftKey ? 10 : 1;
    const actions: Record<string, () => void> = {
      " ": () => this.togglePlay(),
      arrowleft: () => this.step(-far),
      arrowright: () => this.step(far),
      home: () => this.seek(this.life.start),
      end: () => this.seek(this.life.end),
      "[": () => this.changeSpeed(-1),
      "]": () => this.changeSpeed(1),
      l: () => this.setLoop(!this.clock.loop),
      r: () => this.chooseCamera(this.rig.name),
      w: () => this.flip("wire"),
      s: () => this.flip("strobe"),
      c: () => this.flip("com"),
      j: () => this.flip("axes"),
      n: () => this.flip("names"),
      f: () => this.flip("forces"),
      ",": () => this.stretch(this.doublings - 0.5),
      ".": () => this.stretch(this.doublings + 0.5),
      g: () => this.flip("ghost"),
      h: () => this.toggleCharts(),
      o: () => this.sheet.toggle(),
      escape: () => (this.sheet.isOpen ? this.sheet.toggle(false) : this.leave?.()),
    };
    CAMERAS.forEach((name, n) => (actions[String(n + 1)] = () => this.chooseCamera(name)));
    const action = actions[event.key.toLowerCase()];
    action?.();
    return action !== undefined;
  }

  // ----------------------------------------------------------------------------------------------------- drawing

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.stage;
    if (!width || !height) return;
    this.view.resize(width, height);
    this.rig.resize(width, height);
    this.charts.repaint();
    this.dirty = true;
    this.draw();
  }

  private repaint(): void {
    this.tableau.paint(currentTheme());
    this.charts.repaint();
    this.dirty = true;
  }

  private tick(now: number): void {
    this.ticking = requestAnimationFrame((next) => this.tick(next));
    const seconds = Math.min(LONGEST_TICK, Math.max(0, (now - this.last) / 1000));
    this.last = now;
    if (this.clock.isRunning) {
      this.watchPace(seconds);
      this.clock.advance(seconds);
      this.dirty = true;
      if (!this.clock.isRunning) this.play(false);
    }
    const moved = this.rig.update(this.clock.time);
    if (this.dirty || moved) this.draw();
  }

  /** A slow machine gets a coarser picture rather than a jerky one. */
  private watchPace(seconds: number): void {
    this.slowTicks = seconds > SLOW_TICK ? this.slowTicks + 1 : 0;
    if (this.slowTicks < SLOW_TICKS) return;
    this.slowTicks = 0;
    if (this.view.coarsen(this.tableau)) this.resize();
  }

  draw(): void {
    this.dirty = false;
    const { time } = this.clock;
    this.rig.update(time);
    this.view.draw(this.tableau, this.rig.camera, this.rig.controls.target, time, currentTheme());
    this.namesDrawn = drawNames(this.names, this.rig.camera, this.life, this.tableau.pose, this.tableau.shown.names);
    this.charts.update(time);
    this.scaleLabel.textContent = this.tableau.ground.hasGrid ? `grid ${lengthName(this.tableau.ground.cell)}` : "";
    this.legend.update(this.tableau.shown.forces ? this.tableau.arrows : null);
    this.slider.value = String(this.clock.share);
    this.slider.style.setProperty("--share", String(this.clock.share));
    this.slider.setAttribute("aria-valuetext", `${time.toFixed(3)} seconds`);
    this.timeLabel.textContent = `${time.toFixed(3)} s`;
    this.frameLabel.textContent = `frame ${this.life.nearestFrame(time) + 1} of ${this.life.times.length}`;
  }
}
