// Five ways to look: free, following, at the ground below, from the top, from the side.

import { type Box3, PerspectiveCamera, Vector3 } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Extent } from "./extent";
import type { Life } from "../data/life";

export const CAMERAS = ["orbit", "follow", "ground", "top", "side"] as const;
export type CameraName = (typeof CAMERAS)[number];

const FIELD = 32; // degrees, vertically
const AIR = 1.2; // around what is looked at
const OBLIQUE = new Vector3(0.82, -1.35, 0.5).normalize();
const DIRECTIONS: Record<Exclude<CameraName, "orbit" | "follow">, Vector3> = {
  ground: new Vector3(0.9, -1.2, 0.28).normalize(),
  top: new Vector3(0, -0.001, 1).normalize(),
  side: new Vector3(0, -1, 0.03).normalize(),
};

const UP = new Vector3(0, 0, 1);

/** The distance from which a box, looked at in its middle, fits into the picture with some air around it. */
export function fitting(box: Box3, direction: Vector3, camera: PerspectiveCamera, air = AIR): number {
  const tangent = Math.tan((camera.fov * Math.PI) / 360);
  const across = new Vector3().crossVectors(UP, direction).normalize();
  const upwards = new Vector3().crossVectors(direction, across);
  const half = box.getSize(new Vector3()).multiplyScalar(0.5);
  let distance = 0;
  for (let n = 0; n < 8; n++) {
    const corner = new Vector3(n & 1 ? half.x : -half.x, n & 2 ? half.y : -half.y, n & 4 ? half.z : -half.z);
    const wide = Math.abs(corner.dot(across)) / (tangent * camera.aspect), high = Math.abs(corner.dot(upwards)) / tangent;
    distance = Math.max(distance, air * Math.max(wide, high) + corner.dot(direction));
  }
  return distance;
}

export interface Viewpoint {
  direction: Vector3;
  distance: number;
}

const HIGHER = [0, 0.14, 0.28, 0.45, 0.65, 0.9]; // radians that a camera rises where hills are in its way
const SIGHTS = 9, SIGHT_POINTS = 60;

/** How far a camera stays away from the ground, as a part of its distance. */
function room(life: Life): number {
  return life.ground.kind === "terrain" ? 0.03 : 0.004;
}

/** Where the camera stands at first, seen from the body: oblique, but beside a slope, which would look level from elsewhere. */
export function obliqueTo(life: Life): Vector3 {
  const { azimuth } = life.data.view;
  if (azimuth === null) return OBLIQUE;
  const turn = (azimuth * Math.PI) / 180, flat = Math.hypot(OBLIQUE.x, OBLIQUE.y);
  return new Vector3(flat * Math.cos(turn), flat * Math.sin(turn), OBLIQUE.z);
}

/** Where to look from so that a box fits, the camera is outside of the ground and no hill is before the body. */
export function viewpoint(life: Life, extent: Extent, wanted: Vector3, box: Box3, camera: PerspectiveCamera, target: (time: number) => Vector3): Viewpoint {
  const level = Math.asin(wanted.z), turns = life.ground.kind === "terrain" && life.data.view.azimuth === null ? lowerFirst(extent, wanted, target(life.start)) : [1];
  let found: Viewpoint | null = null;
  for (const more of life.ground.kind === "none" ? [0] : HIGHER) {
    for (const side of turns) {
      const height = Math.min(level + more, 1.5), flat = Math.hypot(wanted.x, wanted.y) || 1;
      const direction = new Vector3((side * wanted.x * Math.cos(height)) / flat, (wanted.y * Math.cos(height)) / flat, Math.sin(height));
      const seen = { direction, distance: fitting(box, direction, camera) };
      found ??= seen;
      if (isClear(life, extent, seen, target)) return seen;
    }
  }
  return found ?? { direction: wanted, distance: fitting(box, wanted, camera) };
}

/** Both sides to look from, with a sign for x: the one first from which the ground rises away from the camera. */
function lowerFirst(extent: Extent, wanted: Vector3, target: Vector3): number[] {
  const far = 3 * extent.radius;
  const height = (side: number): number => extent.groundAt(target.x + side * far * wanted.x, target.y + far * wanted.y);
  return height(-1) < height(1) - 0.6 * extent.radius ? [-1, 1] : [1, -1];
}

function isClear(life: Life, extent: Extent, { direction, distance }: Viewpoint, target: (time: number) => Vector3): boolean {
  const point = new Vector3();
  for (let n = 0; n < SIGHTS; n++) {
    const time = life.data.view.since + ((life.end - life.data.view.since) * n) / (SIGHTS - 1);
    const eye = target(time).addScaledVector(direction, distance), body = extent.middleAt(time);
    if (extent.gap(eye) < room(life) * distance) return false;
    if (life.ground.kind !== "terrain" || extent.gap(body) < 0) continue;
    for (let k = 1; k < SIGHT_POINTS; k++) if (extent.gap(point.lerpVectors(eye, body, k / SIGHT_POINTS)) < 0) return false;
  }
  return true;
}

export class Rig {
  readonly camera = new PerspectiveCamera(FIELD, 1, 0.01, 1000);
  readonly controls: OrbitControls;
  name: CameraName;
  private fitted = false;

  constructor(
    element: HTMLElement,
    private readonly life: Life,
    private readonly extent: Extent,
  ) {
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, element);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.zoomToCursor = false;
    this.controls.minDistance = 0.15 * extent.radius;
    this.controls.maxDistance = 20 * Math.max(extent.radius, extent.all.getSize(new Vector3()).length());
    this.name = extent.isTraveller ? "follow" : "orbit";
  }

  resize(width: number, height: number): void {
    this.camera.aspect = width / Math.max(height, 1);
    this.camera.updateProjectionMatrix();
  }

  /** What a camera looks at. */
  private aim(time: number): Vector3 {
    const middle = this.extent.middleAt(time).add(this.extent.centre);
    if (this.name === "orbit") return this.extent.shown.getCenter(middle);
    if (this.name === "ground") middle.z = this.extent.groundAt(middle.x, middle.y);
    return middle;
  }

  /** Takes a camera's own place. */
  choose(name: CameraName, time: number): void {
    this.name = name;
    const whole = name === "orbit" || !this.extent.isTraveller;
    const target = this.aim(time);
    if (whole && (name === "top" || name === "side")) this.extent.all.getCenter(target);
    this.controls.target.copy(target);
    const box = (whole ? (name === "orbit" ? this.extent.shown : this.extent.all) : this.extent.own).clone();
    if (name === "ground") {
      const top = whole ? box.max.z : box.max.z + this.extent.middleAt(time).z;
      box.max.z = Math.max(top - target.z, 0.1 * this.extent.radius); // the ground is in the middle
      box.min.z = -box.max.z;
    }
    const moves = this.follows;
    const wanted = name === "orbit" || name === "follow" ? obliqueTo(this.life) : DIRECTIONS[name];
    const { direction, distance } = viewpoint(this.life, this.extent, wanted, box, this.camera, (at) => (moves ? this.aim(at) : target.clone()));
    this.camera.position.copy(target).addScaledVector(direction, distance);
    // Just above the ground, where there is one.
    this.controls.maxPolarAngle = this.life.ground.kind === "none" ? Math.PI - 0.005 : 0.5 * Math.PI - 0.005;
    this.controls.update();
    this.fitted = true;
  }

  private get follows(): boolean {
    return this.name !== "orbit" && (this.name === "follow" || this.name === "ground" || this.extent.isTraveller);
  }

  /** Moves along, keeping the angle and distance that the user chose; says whether anything moved. */
  update(time: number): boolean {
    if (!this.fitted) this.choose(this.name, time);
    if (this.follows) {
      const step = this.aim(time).sub(this.controls.target);
      this.controls.target.add(step);
      this.camera.position.add(step);
    }
    const moved = this.controls.update();
    this.stayOutside();
    const distance = this.camera.position.distanceTo(this.controls.target);
    this.camera.near = Math.max(1e-4, 0.02 * Math.min(distance, this.extent.radius));
    this.camera.far = 60 * Math.max(distance, 4 * this.extent.radius);
    this.camera.updateProjectionMatrix();
    return moved;
  }

  /** A hill in the way lifts the camera. */
  private stayOutside(): void {
    const { position } = this.camera, { target } = this.controls;
    const missing = room(this.life) * position.distanceTo(target) - this.extent.gap(position);
    if (missing > 0) {
      position.addScaledVector(new Vector3(...this.life.ground.normal), missing);
      this.camera.lookAt(target);
    }
  }

  dispose(): void {
    this.controls.dispose();
  }
}
