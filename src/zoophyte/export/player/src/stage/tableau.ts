// One life as a three.js scene: light, ground, bodies, and what is drawn on top of them.

import { type BufferGeometry, type Camera, Color, DirectionalLight, HemisphereLight, Line, type Material, Mesh, Scene, type Vector3 } from "three";
import { type Life, Pose } from "../data/life";
import { BodySet } from "./bodies";
import { type Extent, extentOf } from "./extent";
import { ForceArrows } from "./forces";
import { Ground } from "./ground";
import { SUN } from "./sky";
import { CentreOfMass, JointAxes, Threads } from "./marks";
import { NAMED_HAZE, SCENES, type SceneColours, type ThemeName } from "./theme";

export const SWITCHES = ["wire", "strobe", "com", "axes", "names", "forces", "ghost"] as const;
export type Switch = (typeof SWITCHES)[number];
export type Switches = Record<Switch, boolean>;

const STROBE_COPIES = 12;
const STROBE_PARTS = 24_000; // instances at most: fewer copies of large bodies
const FINE_SHADOW = 2048; // pixels

export class Tableau {
  readonly scene = new Scene();
  readonly extent: Extent;
  readonly pose: Pose;
  readonly ground: Ground;
  private readonly bodies: BodySet;
  private readonly threads: Threads;
  private readonly hemisphere = new HemisphereLight();
  private readonly sun = new DirectionalLight();
  private readonly fill = new DirectionalLight();
  private ghost: BodySet | null = null;
  private strobe: BodySet | null = null;
  private strobeCopies = 0;
  private com: CentreOfMass | null = null;
  private axes: JointAxes | null = null;
  arrows: ForceArrows | null = null;
  private longer = 1;
  private readonly ghostPose: Pose | null;
  private theme: ThemeName = "light";
  shown: Switches = { wire: false, strobe: false, com: false, axes: false, names: false, forces: false, ghost: false };

  constructor(
    readonly life: Life,
    readonly other: Life | null = null,
    shadowPixels = FINE_SHADOW,
  ) {
    this.extent = extentOf(life);
    if (other) this.extent.all.union(extentOf(other).all);
    this.pose = new Pose(life.bodies.length);
    this.ghostPose = other ? new Pose(other.bodies.length) : null;
    this.bodies = new BodySet(life, { copies: 1, opacity: 1, tint: null });
    this.threads = new Threads(life, this.extent.radius);
    this.ground = new Ground(life.ground, this.extent.radius, SUN);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(shadowPixels, shadowPixels);
    this.sun.shadow.radius = 3;
    this.scene.add(this.ground.group, this.bodies.group, this.threads.rods, this.hemisphere, this.sun, this.sun.target, this.fill);
  }

  /** Springs between bodies that are drawn. */
  get drawnThreads(): number {
    return this.threads.rods.count;
  }

  /** Bodies that are drawn, those without a shape left out. */
  get drawnBodies(): number {
    return this.bodies.bodyCount;
  }

  /** The theme's, where the life does not bring its own. */
  private get colours(): SceneColours {
    const own = this.life.data.look.colours;
    return { ...SCENES[this.theme], ...(own.zenith && { haze: NAMED_HAZE }), ...own };
  }

  paint(theme: ThemeName): void {
    this.theme = theme;
    const colours = this.colours;
    this.ground.paint(colours);
    this.com?.paint(colours);
    for (const set of [this.bodies, this.ghost, this.strobe]) set?.paint(colours.ink);
    this.hemisphere.color.set(colours.sky);
    this.hemisphere.groundColor.set(colours.bounce);
    this.hemisphere.intensity = colours.hemisphere;
    this.sun.intensity = colours.sun;
    this.fill.intensity = colours.fill;
  }

  show(what: Switch, on: boolean): void {
    this.shown = { ...this.shown, [what]: on };
    if (what === "com" && on) this.com ??= this.added(new CentreOfMass(this.life, this.extent.radius));
    if (what === "axes" && on) this.axes ??= this.added(new JointAxes(this.life, this.extent.radius));
    if (what === "forces" && on && this.life.arrowCount) {
      this.arrows ??= this.added(new ForceArrows(this.life, this.extent.radius));
      this.arrows.stretch(this.longer);
    }
    if (what === "ghost" && on && this.other) {
      this.ghost ??= this.added(new BodySet(this.other, { copies: 1, opacity: 0.42, tint: new Color("#8b97a3") }));
    }
    if (what === "strobe" && on) this.strobe ??= this.madeStrobe();
    for (const [part, name] of [
      [this.com, "com"], [this.axes, "axes"], [this.arrows, "forces"], [this.ghost, "ghost"], [this.strobe, "strobe"],
    ] as const) {
      if (part) part.group.visible = this.shown[name];
    }
    for (const set of [this.bodies, this.ghost, this.strobe]) set?.setWire(this.shown.wire);
    this.com?.paint(this.colours);
    for (const set of [this.ghost, this.strobe]) set?.paint(this.colours.ink);
  }

  /** Arrows of forces so many times as long as usual. */
  stretch(longer: number): void {
    this.longer = longer;
    this.arrows?.stretch(longer);
  }

  private added<Item extends { group: Scene["children"][number] }>(item: Item): Item {
    this.scene.add(item.group);
    return item;
  }

  private madeStrobe(): BodySet {
    const shapes = this.life.bodies.reduce((sum, body) => sum + 3 * body.shapes.length, 1);
    const copies = (this.strobeCopies = Math.max(2, Math.min(this.life.data.look.ghosts || STROBE_COPIES, this.life.times.length, Math.floor(STROBE_PARTS / shapes))));
    const set = new BodySet(this.life, { copies, opacity: 0.26, tint: null });
    const pose = new Pose(this.life.bodies.length);
    for (let n = 0; n < copies; n++) {
      this.life.poseAt(this.life.start + ((this.life.end - this.life.start) * n) / (copies - 1), pose);
      set.place(pose, n);
    }
    return this.added(set);
  }

  /** Ghosts that were asked for are moments before; a stroboscope that the key S turns on shows the whole life. */
  private copiesBefore(time: number): number {
    const share = (time - this.life.start) / (this.life.end - this.life.start || 1);
    return Math.min(this.strobeCopies, Math.floor(share * (this.strobeCopies - 1) + 1e-6) + 1);
  }

  /** Everything where it is at a time, seen by a camera that looks at a target. */
  update(time: number, camera: Camera, target: Vector3): void {
    const distance = camera.position.distanceTo(target);
    this.life.poseAt(time, this.pose);
    this.bodies.place(this.pose);
    this.threads.update(time, this.pose);
    if (this.strobe && this.life.data.look.ghosts) this.strobe.show(this.copiesBefore(time));
    if (this.ghost && this.other && this.ghostPose && this.shown.ghost) {
      this.other.poseAt(time, this.ghostPose);
      this.ghost.place(this.ghostPose);
    }
    if (this.shown.com) this.com?.update(time, distance);
    if (this.shown.axes) this.axes?.update(this.pose, distance);
    if (this.shown.forces) this.arrows?.update(time, distance);
    this.ground.follow(target, distance);
    this.aimLight(time);
  }

  /** The shadow's map covers the bodies and little else, and moves in whole pixels so that edges do not crawl. */
  private aimLight(time: number): void {
    const reach = 1.5 * this.extent.radius + 0.02 * this.extent.radius;
    const pixels = this.sun.shadow.mapSize.x, pixel = (2 * reach) / pixels;
    const middle = this.extent.middleAt(time).add(this.extent.centre);
    const height = middle.z - this.extent.groundAt(middle.x, middle.y);
    // Where the shadow falls counts as much as the bodies do, as long as it is near.
    if (height < 3 * this.extent.radius) middle.addScaledVector(SUN, -0.5 * height);
    for (const axis of ["x", "y", "z"] as const) middle[axis] = Math.round(middle[axis] / pixel) * pixel;
    const wide = reach + 0.5 * Math.max(0, Math.min(height, 3 * this.extent.radius));
    const box = this.sun.shadow.camera;
    Object.assign(box, { left: -wide, right: wide, top: wide, bottom: -wide, near: 0.1 * wide, far: 7 * wide });
    box.updateProjectionMatrix();
    this.sun.shadow.normalBias = 1.2 * ((2 * wide) / pixels);
    this.sun.shadow.bias = -0.0002;
    this.sun.position.copy(middle).addScaledVector(SUN, 3.5 * wide);
    this.sun.target.position.copy(middle);
    this.ground.shade(middle, wide);
    this.fill.position.set(-0.7, 0.9, 0.35);
  }

  /** A smaller map for the shadow, where drawing takes too long. */
  coarsen(pixels: number): void {
    const { shadow } = this.sun;
    shadow.mapSize.set(pixels, pixels);
    shadow.map?.dispose();
    shadow.map = null;
  }

  dispose(): void {
    for (const set of [this.bodies, this.ghost, this.strobe]) set?.dispose();
    this.scene.traverse((object) => {
      if (!(object instanceof Mesh || object instanceof Line)) return;
      (object.geometry as BufferGeometry).dispose();
      (object.material as Material).dispose();
    });
    this.sun.shadow.map?.dispose();
  }
}
