// Terrain as triangles: the field of heights, and strips that go on from its edges to the horizon.
// Strips are cut into pieces that grow outwards: of one triangle as long as the horizon is far, a renderer loses the depth.

import { BufferAttribute, BufferGeometry } from "three";
import type { Relief } from "../data/ground";

interface Patch {
  x: number[];
  y: number[];
  i: number[]; // columns and rows of the field that the points take their heights from
  j: number[];
  slopesX: boolean; // whether heights change along x
  slopesY: boolean;
}

const OUTWARDS = [0, 1, 3, 8, 20, 60, 180, 500];

/** All triangles; beyond its edges the field goes on level, to 500 times a length. */
export function reliefGeometry(relief: Relief, unit: number): BufferGeometry {
  const { x, y } = relief;
  const all = (values: number[]): number[] => values.map((_, n) => n);
  const [columns, rows] = [all(x), all(y)];
  const ends = (values: number[]): [number[], number[]][] => {
    const last = values.length - 1;
    const below = OUTWARDS.map((far) => values[0] - far * unit).reverse(), above = OUTWARDS.map((far) => values[last] + far * unit);
    return [[below, below.map(() => 0)], [above, above.map(() => last)]];
  };
  const patches: Patch[] = [{ x, y, i: columns, j: rows, slopesX: true, slopesY: true }];
  for (const [at, i] of ends(x)) patches.push({ x: at, y, i, j: rows, slopesX: false, slopesY: true });
  for (const [at, j] of ends(y)) patches.push({ x, y: at, i: columns, j, slopesX: true, slopesY: false });
  for (const [atX, i] of ends(x)) for (const [atY, j] of ends(y)) patches.push({ x: atX, y: atY, i, j, slopesX: false, slopesY: false });
  const points = patches.reduce((sum, patch) => sum + patch.x.length * patch.y.length, 0);
  const cells = patches.reduce((sum, patch) => sum + (patch.x.length - 1) * (patch.y.length - 1), 0);
  const position = new Float32Array(3 * points), normal = new Float32Array(3 * points), index = new Uint32Array(6 * cells);
  let point = 0, corner = 0;
  for (const patch of patches) {
    const first = point, wide = patch.x.length;
    for (let row = 0; row < patch.y.length; row++) {
      for (let column = 0; column < wide; column++, point++) {
        const i = patch.i[column], j = patch.j[row];
        position.set([patch.x[column], patch.y[row], relief.heights[j * x.length + i]], 3 * point);
        const gx = patch.slopesX ? slope(relief, i, j, 1, 0) : 0, gy = patch.slopesY ? slope(relief, i, j, 0, 1) : 0;
        const length = Math.hypot(gx, gy, 1);
        normal.set([-gx / length, -gy / length, 1 / length], 3 * point);
        if (!row || !column) continue;
        const a = first + (row - 1) * wide + column - 1; // cells are cut from their lowest to their highest corner
        index.set([a, a + 1, a + wide + 1, a, a + wide + 1, a + wide], corner);
        corner += 6;
      }
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(position, 3));
  geometry.setAttribute("normal", new BufferAttribute(normal, 3));
  geometry.setIndex(new BufferAttribute(index, 1));
  return geometry;
}

/** Slope of the field at a point along x or y, over the points before and behind it. */
function slope({ x, y, heights }: Relief, i: number, j: number, di: number, dj: number): number {
  const [i0, i1] = [Math.max(i - di, 0), Math.min(i + di, x.length - 1)];
  const [j0, j1] = [Math.max(j - dj, 0), Math.min(j + dj, y.length - 1)];
  const rise = heights[j1 * x.length + i1] - heights[j0 * x.length + i0];
  return rise / (di ? x[i1] - x[i0] : y[j1] - y[j0]);
}
