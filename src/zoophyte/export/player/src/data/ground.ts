// The ground of a life: nothing, a plane, or terrain; how high it is anywhere.

import type { GroundData, Triple } from "./format";
import type { TrackReader } from "./tracks";

/** Rows and columns of heights; not always evenly spaced: far from the creature a large terrain has fewer. */
export interface Relief {
  x: number[];
  y: number[];
  heights: Float32Array; // row after row
}

export class GroundForm {
  constructor(
    readonly data: GroundData | null,
    readonly relief: Relief | null = null,
  ) {}

  /** Heights follow the motion: the first row, then what each row has more than the one before. */
  static read(data: GroundData | null, reader: TrackReader): GroundForm {
    if (data?.kind !== "terrain") return new GroundForm(data);
    const { x, y, low, step } = data;
    const columns = x.length;
    const sums = new Float64Array(columns), heights = new Float32Array(columns * y.length);
    for (let row = 0; row < y.length; row++) {
      const more = reader.wholeNumbers(columns);
      for (let n = 0; n < columns; n++) {
        sums[n] += more.length === 1 ? more[0] : more[n];
        heights[row * columns + n] = low + step * sums[n];
      }
    }
    return new GroundForm(data, { x, y, heights });
  }

  get kind(): "none" | "plane" | "terrain" {
    return this.data?.kind ?? "none";
  }

  /** The outward normal of a plane; upwards for everything else. */
  get normal(): Triple {
    return this.data?.kind === "plane" ? this.data.normal : [0, 0, 1];
  }

  /** Height above (x, y); not a number where there is no ground. */
  heightAt(x: number, y: number): number {
    if (this.data?.kind === "plane") {
      const [a, b, c] = this.data.normal;
      return Math.abs(c) > 1e-6 ? (this.data.height - a * x - b * y) / c : NaN;
    }
    if (!this.relief) return NaN;
    const { heights, x: xs, y: ys } = this.relief;
    const [i, a] = cell(xs, x), [j, b] = cell(ys, y);
    const at = j * xs.length + i;
    const low = heights[at], high = heights[at + xs.length + 1];
    const corner = a > b ? heights[at + 1] : heights[at + xs.length];
    return low + Math.max(a, b) * (corner - low) + Math.min(a, b) * (high - corner);
  }

  /** How far a point lies outside of the ground, about; infinite where there is none. */
  gap(x: number, y: number, z: number): number {
    if (this.data?.kind === "plane") {
      const [a, b, c] = this.data.normal;
      return a * x + b * y + c * z - this.data.height;
    }
    return this.relief ? z - this.heightAt(x, y) : Infinity;
  }
}

/** The interval of rising numbers that holds a number, and where in it; at the ends beyond them. */
function cell(values: number[], at: number): [number, number] {
  let low = 0, high = values.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (values[middle] <= at) low = middle;
    else high = middle;
  }
  return [low, Math.min(1, Math.max(0, (at - values[low]) / (values[low + 1] - values[low])))];
}
