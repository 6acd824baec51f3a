// What is drawn on top of the bodies when asked for: centre of mass and its path, joint axes, arrows of forces.

import {
  BufferAttribute, BufferGeometry, CanvasTexture, Color, ConeGeometry, CylinderGeometry, Group, InstancedMesh, Line, LineBasicMaterial,
  Matrix4, Mesh, MeshBasicMaterial, Quaternion, SRGBColorSpace, SphereGeometry, Vector3,
} from "three";
import type { Life, Pose } from "../data/life";
import type { SceneColours } from "./theme";

const UP = new Vector3(0, 0, 1);
const AXIS_COLOUR = "#d55e00";
const FORCE_COLOUR = "#cc79a7";
const PATH_POINTS = 2000;

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

function turnOf(pose: Pose, body: number, turn: Quaternion): Quaternion {
  const r = pose.rotation, at = 4 * body;
  return turn.set(r[at + 1], r[at + 2], r[at + 3], r[at]);
}

/** An arrow from each point of contact. Up to the weight its length is in proportion to the force; beyond, where impacts are,
 * it grows with the logarithm. */
export class ForceArrows {
  readonly group = new Group();
  private readonly shafts: InstancedMesh;
  private readonly heads: InstancedMesh;
  private readonly points: InstancedMesh;
  private readonly usual: number;

  constructor(
    private readonly life: Life,
    private readonly radius: number,
  ) {
    const material = new MeshBasicMaterial({ color: new Color(FORCE_COLOUR), depthTest: false, transparent: true, opacity: 0.92 });
    const shaft = new CylinderGeometry(1, 1, 1, 12).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    const head = new ConeGeometry(1, 1, 16).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    this.shafts = new InstancedMesh(shaft, material, life.arrowCount);
    this.heads = new InstancedMesh(head, material, life.arrowCount);
    this.points = new InstancedMesh(new SphereGeometry(1, 16, 12), material, life.arrowCount);
    this.usual = life.usualForce();
    for (const mesh of [this.shafts, this.heads, this.points]) {
      mesh.frustumCulled = false;
      mesh.renderOrder = 7;
      this.group.add(mesh);
    }
  }

  /** How long the arrow of a force is [m]. */
  private lengthOf(force: number): number {
    const share = force / this.usual;
    return 1.3 * this.radius * (share <= 1 ? share : 1 + Math.log(share));
  }

  update(time: number, distance: number): void {
    const width = Math.min(0.011 * this.radius, 0.0028 * distance);
    for (let n = 0; n < this.life.arrowCount; n++) {
      const [x, y, z, ...force] = this.life.arrowAt(n, time, 0.1 * this.radius);
      const along = new Vector3(...force), length = this.lengthOf(along.length());
      const turn = new Quaternion().setFromUnitVectors(UP, length > 0 ? along.normalize() : UP);
      const tip = Math.min(7 * width, 0.6 * length), shown = length > 0.5 * width ? 1 : 0;
      const start = new Vector3(x, y, z), end = start.clone().addScaledVector(along, length - tip);
      const size = (a: number, b: number): Vector3 => new Vector3(a, a, b).multiplyScalar(shown);
      this.shafts.setMatrixAt(n, new Matrix4().compose(start, turn, size(width, length - tip)));
      this.heads.setMatrixAt(n, new Matrix4().compose(end, turn, size(2.7 * width, tip)));
      this.points.setMatrixAt(n, new Matrix4().compose(start, turn, size(1.6 * width, 1.6 * width)));
    }
    for (const mesh of [this.shafts, this.heads, this.points]) mesh.instanceMatrix.needsUpdate = true;
  }
}
