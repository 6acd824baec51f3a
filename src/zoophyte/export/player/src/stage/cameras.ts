// Five ways to look: free, following, at the ground below, from the top, from the side.

import { type Box3, PerspectiveCamera, Vector3 } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Extent } from "./extent";
import type { Life } from "../data/life";

export const CAMERAS = ["orbit", "follow", "ground", "top", "side"] as const;
export type CameraName = (typeof CAMERAS)[number];

const FIELD = 32; // degrees, vertically
const AIR = 1.12; // around what is looked at
const OBLIQUE = new Vector3(0.82, -1.35, 0.5).normalize();
const DIRECTIONS: Record<CameraName, Vector3> = {
  orbit: OBLIQUE,
  follow: OBLIQUE,
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
    const middle = new Vector3(...this.life.comAt(time)).add(this.extent.centre);
    if (this.name === "orbit") return this.extent.all.getCenter(middle);
    if (this.name === "ground") middle.z = this.extent.ground;
    return middle;
  }

  /** Takes a camera's own place. */
  choose(name: CameraName, time: number): void {
    this.name = name;
    const whole = name === "orbit" || !this.extent.isTraveller;
    const target = this.aim(time);
    if (whole && (name === "top" || name === "side")) this.extent.all.getCenter(target);
    this.controls.target.copy(target);
    const box = (whole ? this.extent.all : this.extent.own).clone();
    if (name === "ground") box.min.z = 2 * this.extent.ground - this.extent.all.max.z; // the ground is in the middle
    const distance = fitting(box, DIRECTIONS[name], this.camera);
    this.camera.position.copy(target).addScaledVector(DIRECTIONS[name], distance);
    // Just above the ground, unless asked for from the top.
    this.controls.maxPolarAngle = 0.5 * Math.PI - 0.005;
    this.controls.update();
    this.fitted = true;
  }

  /** Moves along, keeping the angle and distance that the user chose; says whether anything moved. */
  update(time: number): boolean {
    if (!this.fitted) this.choose(this.name, time);
    const follows = this.name !== "orbit" && (this.name === "follow" || this.name === "ground" || this.extent.isTraveller);
    if (follows) {
      const step = this.aim(time).sub(this.controls.target);
      this.controls.target.add(step);
      this.camera.position.add(step);
    }
    const moved = this.controls.update();
    const distance = this.camera.position.distanceTo(this.controls.target);
    this.camera.near = Math.max(1e-4, 0.02 * Math.min(distance, this.extent.radius));
    this.camera.far = 60 * Math.max(distance, 4 * this.extent.radius);
    this.camera.updateProjectionMatrix();
    return moved;
  }

  dispose(): void {
    this.controls.dispose();
  }
}
