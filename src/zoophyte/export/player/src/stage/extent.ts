// How large a life is and where: what cameras, ground and light are fitted to.

import { Box3, Vector3 } from "three";
import type { ShapeData, Triple } from "../data/format";
import { type Life, Pose } from "../data/life";
import { partsOf } from "./geometry";
import { SUN } from "./sky";

const SAMPLES = 48;
const CORNERS = 200_000; // computed at most
const AIRBORNE = [0.05, 1.6]; // radii above the ground, as in camera.py
const PARTED = 6; // times as far apart at the end as at the start: then what is together no longer belongs together

export interface Extent {
  shown: Box3; // all of it, and the shadow of what is not far above the ground
  all: Box3; // over the life, but for a short beginning that is spread far wider than all the rest
  radius: number; // of a ball around the bodies at one time, the largest
  own: Box3; // around the bodies at one time, relative to their centre of mass
  centre: Vector3; // of that box
  isTraveller: boolean; // whether it is free to leave, and does
  middleAt(time: number): Vector3; // centre of mass; the middle of the largest tree where others have left it far behind
  groundAt(x: number, y: number): number; // height of the ground; a little below everything where there is none
  gap(place: Vector3): number; // how far outside of the ground a place is
}

export function extentOf(life: Life): Extent {
  const found = partsOf(life.bodies), polyhedra = found.polyhedra;
  const chosen = subjectOf(life);
  const parts = found.parts.filter((part) => !chosen || chosen.includes(part.body));
  const boxes = parts.map((part) => cornersOf(part.key, polyhedra).map((corner) => corner.applyMatrix4(part.local)));
  const samples = Math.max(2, Math.min(SAMPLES, life.times.length, Math.floor(CORNERS / (8 * parts.length + 1))));
  const all = new Box3(), one = new Box3(), own = new Box3();
  const pose = new Pose(life.bodies.length);
  const corner = new Vector3();
  const middleAt = (time: number): Vector3 => (chosen ? middleOf(life, chosen, time) : new Vector3(...life.comAt(time)));
  const since = life.data.view.since;
  let radius = 0;
  for (let n = 0; n < samples; n++) {
    const time = since + ((life.end - since) * n) / (samples - 1);
    life.poseAt(time, pose);
    one.makeEmpty();
    parts.forEach((part, k) => {
      for (const point of boxes[k]) one.expandByPoint(turned(corner.copy(point), pose, part.body));
    });
    if (!parts.length) for (let b = 0; b < life.bodies.length; b++) one.expandByPoint(corner.fromArray(pose.position, 3 * b));
    all.union(one);
    const com = middleAt(time);
    radius = Math.max(radius, 0.5 * one.getSize(corner).length());
    own.union(one.translate(com.negate()));
  }
  radius = radius || 1;
  const isFree = life.bodies.some((body) => body.parent < 0 && (body.joint === "free" || body.joint === "slide"));
  const isTraveller = isFree && 0.5 * all.getSize(corner).length() > 2.2 * radius;
  const below = all.min.z - 0.2 * radius;
  const groundAt = (x: number, y: number): number => {
    const height = life.ground.heightAt(x, y);
    return Number.isFinite(height) ? height : below;
  };
  const shown = withShadow(all, radius, groundAt);
  const gap = ({ x, y, z }: Vector3): number => life.ground.gap(x, y, z);
  return { shown, all, radius, own, centre: own.getCenter(new Vector3()), isTraveller, middleAt, groundAt, gap };
}

/** A box with its shadow, where that lies apart from it and yet near. */
function withShadow(box: Box3, radius: number, groundAt: (x: number, y: number) => number): Box3 {
  const shown = box.clone(), middle = box.getCenter(new Vector3());
  const ground = groundAt(middle.x, middle.y), height = box.min.z - ground;
  if (height < AIRBORNE[0] * radius || height > AIRBORNE[1] * radius) return shown;
  for (let n = 0; n < 8; n++) {
    const corner = new Vector3(n & 1 ? box.max.x : box.min.x, n & 2 ? box.max.y : box.min.y, n & 4 ? box.max.z : box.min.z);
    shown.expandByPoint(corner.addScaledVector(SUN, (ground - corner.z) / SUN.z));
  }
  return shown;
}

/** The bodies of the largest tree where trees part company, as a ball does that is hit away; null for all bodies. */
function subjectOf(life: Life): number[] | null {
  const tree: number[] = [];
  life.bodies.forEach((body, n) => tree.push(body.parent < 0 ? n : tree[body.parent]));
  const trees = [...new Set(tree)].map((root) => tree.flatMap((other, n) => (other === root ? [n] : [])));
  if (trees.length < 2) return null;
  const pose = new Pose(life.bodies.length), box = new Box3(), place = new Vector3();
  const [before, after] = [life.start, life.end].map((time) => {
    life.poseAt(time, pose);
    box.makeEmpty();
    life.bodies.forEach((_, n) => box.expandByPoint(place.fromArray(pose.position, 3 * n)));
    return box.getSize(place).length();
  });
  if (!(after > PARTED * before)) return null;
  return trees.reduce((largest, each) => (each.length > largest.length ? each : largest));
}

function middleOf(life: Life, bodies: number[], time: number): Vector3 {
  const pose = new Pose(life.bodies.length), middle = new Vector3(), place = new Vector3();
  life.poseAt(time, pose);
  for (const body of bodies) middle.add(place.fromArray(pose.position, 3 * body));
  return middle.divideScalar(bodies.length);
}

function turned(point: Vector3, pose: Pose, body: number): Vector3 {
  const w = pose.rotation[4 * body];
  const u = { x: pose.rotation[4 * body + 1], y: pose.rotation[4 * body + 2], z: pose.rotation[4 * body + 3] };
  const cx = u.y * point.z - u.z * point.y, cy = u.z * point.x - u.x * point.z, cz = u.x * point.y - u.y * point.x;
  return point.set(
    pose.position[3 * body] + point.x + 2 * (w * cx + u.y * cz - u.z * cy),
    pose.position[3 * body + 1] + point.y + 2 * (w * cy + u.z * cx - u.x * cz),
    pose.position[3 * body + 2] + point.z + 2 * (w * cz + u.x * cy - u.y * cx),
  );
}

function cornersOf(key: string, polyhedra: Map<string, ShapeData>): Vector3[] {
  const shape = polyhedra.get(key);
  let low: Triple = [-1, -1, -1], high: Triple = [1, 1, 1];
  if (key === "box") [low, high] = [[-0.5, -0.5, -0.5], [0.5, 0.5, 0.5]];
  else if (key === "cap") low = [-1, -1, 0];
  else if (key === "cylinder" || key === "tube") [low, high] = [[-1, -1, -0.5], [1, 1, 0.5]];
  else if (key.startsWith("frustum") || key.startsWith("sleeve")) low = [-1, -1, 0];
  else if (shape?.kind === "polyhedron") return shape.vertices.map((vertex) => new Vector3(...vertex));
  return [0, 1, 2, 3, 4, 5, 6, 7].map(
    (n) => new Vector3(n & 1 ? high[0] : low[0], n & 2 ? high[1] : low[1], n & 4 ? high[2] : low[2]),
  );
}
