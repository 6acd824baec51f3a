// What is drawn beside the bodies: springs between them; when asked for, centre of mass and its path, joint axes.

import {
  BufferAttribute, BufferGeometry, CanvasTexture, CylinderGeometry, Group, InstancedMesh, Line, LineBasicMaterial,
  Matrix4, Mesh, MeshBasicMaterial, MeshStandardMaterial, Quaternion, SRGBColorSpace, SphereGeometry, Vector3,
} from "three";
import type { Life, Pose } from "../data/life";
import type { SceneColours } from "./theme";

const UP = new Vector3(0, 0, 1);
const AXIS_COLOUR = "#d55e00";
const PATH_POINTS = 2000;
const THREAD_COLOUR = "#515459";

/** The centre of mass as a quartered ball, and the line along which it goes. */
export class CentreOfMass {
  readonly group = new Group();
  private readonly ball: Mesh;
  private readonly past: Line<BufferGeometry, LineBasicMaterial>;
  private readonly whole: Line<BufferGeometry, LineBasicMaterial>;
  private readonly count: number;

  constructor(
    private readonly life: Life,
    private readonly radius: number,
  ) {
    const texture = new CanvasTexture(quarters());
    texture.colorSpace = SRGBColorSpace;
    const geometry = new SphereGeometry(1, 32, 16).rotateX(Math.PI / 2);
    this.ball = new Mesh(geometry, new MeshBasicMaterial({ map: texture, depthTest: false, transparent: true }));
    this.ball.renderOrder = 6;
    this.count = Math.max(2, Math.min(life.times.length, PATH_POINTS));
    const points = new Float32Array(3 * this.count);
    for (let n = 0; n < this.count; n++) points.set(life.comAt(this.timeOf(n)), 3 * n);
    const path = new BufferGeometry().setAttribute("position", new BufferAttribute(points, 3));
    this.whole = new Line(path, new LineBasicMaterial({ transparent: true, opacity: 0.28, depthTest: false }));
    this.past = new Line(path.clone(), new LineBasicMaterial({ transparent: true, opacity: 0.95, depthTest: false }));
    for (const line of [this.whole, this.past]) {
      line.frustumCulled = false;
      line.renderOrder = 5;
    }
    this.group.add(this.whole, this.past, this.ball);
  }

  private timeOf(point: number): number {
    return this.life.start + ((this.life.end - this.life.start) * point) / (this.count - 1);
  }

  paint(colours: SceneColours): void {
    this.whole.material.color.set(colours.ink);
    this.past.material.color.set(colours.accent);
  }

  update(time: number, distance: number): void {
    this.ball.position.set(...this.life.comAt(time));
    this.ball.scale.setScalar(Math.min(0.06 * this.radius, 0.011 * distance));
    const share = (time - this.life.start) / (this.life.end - this.life.start || 1);
    this.past.geometry.setDrawRange(0, Math.max(0, Math.floor(share * (this.count - 1)) + 1));
  }
}

function quarters(): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = 64;
  canvas.height = 32;
  const paint = canvas.getContext("2d");
  for (let n = 0; paint && n < 8; n++) {
    paint.fillStyle = (n + (n >> 2)) % 2 ? "#ffffff" : "#15191d";
    paint.fillRect(16 * (n % 4), 16 * (n >> 2), 16, 16);
  }
  return canvas;
}

/** Springs between bodies as thin rods, until they break. */
export class Threads {
  readonly rods: InstancedMesh;

  constructor(
    private readonly life: Life,
    private readonly radius: number,
  ) {
    const material = new MeshStandardMaterial({ color: THREAD_COLOUR, roughness: 0.6 });
    this.rods = new InstancedMesh(new CylinderGeometry(1, 1, 1, 10).rotateX(Math.PI / 2), material, Math.max(1, life.data.threads.length));
    this.rods.frustumCulled = false;
    this.rods.castShadow = true;
  }

  update(time: number, pose: Pose): void {
    const matrix = new Matrix4(), turn = new Quaternion(), along = new Vector3(), width = 0.006 * this.radius;
    let shown = 0;
    for (const { bodies, points, until } of this.life.data.threads) {
      if (until !== null && time >= until) continue;
      const [start, end] = points.map((point, n) => placed(new Vector3(...point), pose, bodies[n]));
      const length = along.subVectors(end, start).length();
      if (length > 0) turn.setFromUnitVectors(UP, along.divideScalar(length));
      this.rods.setMatrixAt(shown++, matrix.compose(start.add(end).multiplyScalar(0.5), turn, new Vector3(width, width, length)));
    }
    this.rods.count = shown;
    this.rods.visible = shown > 0;
    this.rods.instanceMatrix.needsUpdate = true;
  }
}

/** A rod through each joint along each of its axes. */
export class JointAxes {
  readonly group = new Group();
  private readonly rods: InstancedMesh;
  private readonly places: { body: number; along: Quaternion }[] = [];

  constructor(
    life: Life,
    private readonly radius: number,
  ) {
    life.bodies.forEach((body, n) => {
      for (const axis of body.axes) this.places.push({ body: n, along: new Quaternion().setFromUnitVectors(UP, new Vector3(...axis).normalize()) });
    });
    const material = new MeshBasicMaterial({ color: AXIS_COLOUR, depthTest: false, transparent: true, opacity: 0.9 });
    this.rods = new InstancedMesh(new CylinderGeometry(1, 1, 1, 10).rotateX(Math.PI / 2), material, this.places.length);
    this.rods.frustumCulled = false;
    this.rods.renderOrder = 4;
    this.group.add(this.rods);
  }

  get count(): number {
    return this.places.length;
  }

  update(pose: Pose, distance: number): void {
    const width = Math.min(0.006 * this.radius, 0.0012 * distance), length = Math.min(0.16 * this.radius, 0.05 * distance);
    const matrix = new Matrix4(), turn = new Quaternion(), size = new Vector3(width, width, length);
    this.places.forEach(({ body, along }, n) => {
      turnOf(pose, body, turn).multiply(along);
      this.rods.setMatrixAt(n, matrix.compose(new Vector3().fromArray(pose.position, 3 * body), turn, size));
    });
    this.rods.instanceMatrix.needsUpdate = true;
  }
}

function placed(point: Vector3, pose: Pose, body: number): Vector3 {
  if (body < 0) return point;
  return point.applyQuaternion(turnOf(pose, body, new Quaternion())).add(new Vector3().fromArray(pose.position, 3 * body));
}

function turnOf(pose: Pose, body: number, turn: Quaternion): Quaternion {
  const r = pose.rotation, at = 4 * body;
  return turn.set(r[at + 1], r[at + 2], r[at + 3], r[at]);
}
