// Shapes as parts that many bodies share: a unit geometry, and a matrix that places and stretches it.

import { BoxGeometry, BufferAttribute, BufferGeometry, CylinderGeometry, Float32BufferAttribute, Matrix4, Quaternion, SphereGeometry, Vector3 } from "three";
import type { ShapeData, Triple } from "../data/format";

export interface Part {
  body: number;
  key: string;
  local: Matrix4;
  colour: Triple;
}

export interface Geometries {
  solid: BufferGeometry;
  wire: BufferGeometry;
}

const EXACT_TAPERS = 64; // more frusta than that share geometries whose taper is rounded to 1/64
const TAPERED = ["frustum", "tapered_capsule"];
const RINGS = 48;

/** The parts of all shapes; `polyhedra` collects the geometries that cannot be shared. */
export function partsOf(bodies: { shapes: ShapeData[] }[]): { parts: Part[]; polyhedra: Map<string, ShapeData> } {
  const frusta = bodies.reduce((sum, body) => sum + body.shapes.filter((shape) => TAPERED.includes(shape.kind)).length, 0);
  const polyhedra = new Map<string, ShapeData>();
  const parts: Part[] = [];
  bodies.forEach(({ shapes }, body) => {
    for (const shape of shapes) {
      const placed = placement(shape);
      for (const [key, own] of pieces(shape, frusta > EXACT_TAPERS, polyhedra)) {
        parts.push({ body, key, local: placed.clone().multiply(own), colour: shape.colour });
      }
    }
  });
  return { parts, polyhedra };
}

function placement(shape: ShapeData): Matrix4 {
  const [w, x, y, z] = shape.rotation;
  return new Matrix4().compose(new Vector3(...shape.position), new Quaternion(x, y, z, w), new Vector3(1, 1, 1));
}

function pieces(shape: ShapeData, rounded: boolean, polyhedra: Map<string, ShapeData>): [string, Matrix4][] {
  switch (shape.kind) {
    case "sphere":
      return [["ball", new Matrix4().makeScale(shape.radius, shape.radius, shape.radius)]];
    case "ellipsoid":
      return [["ball", new Matrix4().makeScale(...shape.semi_axes)]];
    case "box":
      return [["box", new Matrix4().makeScale(...shape.size)]];
    case "cylinder":
      return [["cylinder", new Matrix4().makeScale(shape.radius, shape.radius, shape.length)]];
    case "capsule":
      return capsule(shape.radius, shape.length);
    case "frustum":
      return [frustum("frustum", shape.radius_start, shape.radius_end, shape.length, rounded)];
    case "tapered_capsule":
      return taperedCapsule(shape.radius_start, shape.radius_end, shape.length, rounded);
    case "polyhedron": {
      const key = `polyhedron ${JSON.stringify([shape.vertices, shape.faces])}`;
      polyhedra.set(key, shape);
      return [[key, new Matrix4()]];
    }
  }
}

function capsule(radius: number, length: number): [string, Matrix4][] {
  const cap = new Matrix4().makeScale(radius, radius, radius);
  const bottom = new Matrix4().makeScale(radius, -radius, -radius); // half a turn about x, so that it stays right-handed
  const parts: [string, Matrix4][] = [
    ["cap", cap.setPosition(0, 0, length / 2)],
    ["cap", bottom.setPosition(0, 0, -length / 2)],
  ];
  if (length > 0) parts.push(["tube", new Matrix4().makeScale(radius, radius, length)]);
  return parts;
}

/** Two balls, and the cone that touches both: along circles that lie s·radius farther, with s = (start − end)/length. */
function taperedCapsule(start: number, end: number, length: number, rounded: boolean): [string, Matrix4][] {
  const s = (start - end) / length, c = Math.sqrt(Math.max(0, 1 - s * s));
  const [key, sleeve] = frustum("sleeve", c * start, c * end, length + s * (end - start), rounded);
  return [
    ["ball", new Matrix4().makeScale(start, start, start)],
    ["ball", new Matrix4().makeScale(end, end, end).setPosition(0, 0, length)],
    [key, new Matrix4().makeTranslation(0, 0, s * start).multiply(sleeve)],
  ];
}

function frustum(kind: "frustum" | "sleeve", start: number, end: number, length: number, rounded: boolean): [string, Matrix4] {
  const wide = Math.max(start, end);
  const exact = Math.min(start, end) / wide;
  const taper = rounded ? Math.round(exact * EXACT_TAPERS) / EXACT_TAPERS : exact;
  const key = `${kind} ${taper}`;
  if (start >= end) return [key, new Matrix4().makeScale(wide, wide, length)];
  return [key, new Matrix4().makeScale(wide, -wide, -length).setPosition(0, 0, length)];
}

/** The geometries behind a key; `detail` from 0 (thousands of parts) to 1. */
export function geometriesOf(key: string, polyhedra: Map<string, ShapeData>, detail: number): Geometries {
  const around = Math.round(12 + 36 * detail), along = Math.round(8 + 20 * detail);
  switch (key) {
    case "ball":
      return { solid: upright(new SphereGeometry(1, around, along)), wire: lines([...circle("z"), ...circle("x"), ...circle("y")]) };
    case "cap":
      return {
        solid: upright(new SphereGeometry(1, around, Math.ceil(along / 2), 0, 2 * Math.PI, 0, Math.PI / 2)),
        wire: lines([...circle("z"), ...circle("x", 0.5), ...circle("y", 0.5)]),
      };
    case "box":
      return { solid: new BoxGeometry(1, 1, 1), wire: lines(boxEdges()) };
    case "cylinder":
      return { solid: upright(new CylinderGeometry(1, 1, 1, around)), wire: lines(tubeEdges(-0.5, 0.5, 1, true)) };
    case "tube":
      return { solid: upright(new CylinderGeometry(1, 1, 1, around, 1, true)), wire: lines(tubeEdges(-0.5, 0.5, 1, false)) };
  }
  const [kind, taper] = key.split(" ");
  if (kind === "frustum" || kind === "sleeve") {
    const solid = upright(new CylinderGeometry(Number(taper), 1, 1, around, 1, kind === "sleeve")).translate(0, 0, 0.5);
    return { solid, wire: lines(tubeEdges(0, 1, Number(taper), true)) };
  }
  const shape = polyhedra.get(key);
  if (shape?.kind !== "polyhedron") throw new Error(`no geometry for ${key}`);
  return polyhedron(shape.vertices, shape.faces);
}

/** three.js builds around y; our axes are z. */
function upright(geometry: BufferGeometry): BufferGeometry {
  return geometry.rotateX(Math.PI / 2);
}

function polyhedron(vertices: Triple[], faces: number[][]): Geometries {
  const corners: number[] = [], edges: number[] = [];
  for (const face of faces) {
    face.forEach((vertex, n) => {
      if (n > 1) corners.push(...vertices[face[0]], ...vertices[face[n - 1]], ...vertices[vertex]);
      const next = face[(n + 1) % face.length];
      if (vertex < next) edges.push(...vertices[vertex], ...vertices[next]);
    });
  }
  const solid = new BufferGeometry().setAttribute("position", new Float32BufferAttribute(corners, 3));
  solid.computeVertexNormals();
  return { solid, wire: lines(edges) };
}

function lines(points: number[]): BufferGeometry {
  return new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(points), 3));
}

/** A unit circle (or the part of it above the ground plane) around an axis, as pairs of points. */
function circle(axis: "x" | "y" | "z", part = 1): number[] {
  const points: number[] = [];
  const at = (n: number): number[] => {
    const angle = (2 * Math.PI * part * n) / RINGS;
    const c = Math.cos(angle), s = Math.sin(angle);
    return axis === "z" ? [c, s, 0] : axis === "x" ? [0, c, s] : [c, 0, s];
  };
  for (let n = 0; n < RINGS; n++) points.push(...at(n), ...at(n + 1));
  return points;
}

function tubeEdges(low: number, high: number, taper: number, closed: boolean): number[] {
  const points: number[] = [];
  if (closed) {
    const ring = circle("z");
    for (let n = 0; n < ring.length; n += 3) points.push(ring[n], ring[n + 1], low);
    for (let n = 0; n < ring.length; n += 3) points.push(taper * ring[n], taper * ring[n + 1], high);
  }
  for (let n = 0; n < 8; n++) {
    const c = Math.cos((Math.PI * n) / 4), s = Math.sin((Math.PI * n) / 4);
    points.push(c, s, low, taper * c, taper * s, high);
  }
  return points;
}

function boxEdges(): number[] {
  const points: number[] = [];
  for (const [a, b] of [[-0.5, -0.5], [-0.5, 0.5], [0.5, -0.5], [0.5, 0.5]]) {
    points.push(-0.5, a, b, 0.5, a, b, a, -0.5, b, a, 0.5, b, a, b, -0.5, a, b, 0.5);
  }
  return points;
}
