// A life: bodies, poses at any time, channels. Motion is stored relative to the parent body, where it is mostly constant.

import type { BodyData, ChannelData, LifeData, Triple } from "./format";
import { GroundForm } from "./ground";
import { fromBase64, unpacked } from "./inflate";
import { TrackReader, between } from "./tracks";

/** Where all bodies are: three numbers of position and four of rotation each. */
export class Pose {
  readonly position: Float64Array;
  readonly rotation: Float64Array;

  constructor(count: number) {
    this.position = new Float64Array(3 * count);
    this.rotation = new Float64Array(4 * count);
  }
}

export interface Channel extends Omit<ChannelData, "low" | "step"> {
  columns: Float64Array[];
}

export interface Moment {
  frame: number;
  next: number;
  part: number;
}

export class Life {
  readonly name: string;
  readonly bodies: BodyData[];
  readonly times: Float64Array;
  readonly channels: Channel[];
  readonly arrowCount: number;
  readonly ground: GroundForm;
  private readonly com: Float32Array[];
  private readonly tracks: Float32Array[];
  private readonly arrowTracks: Float32Array[];

  private constructor(
    readonly data: LifeData,
    bytes: Uint8Array,
  ) {
    const reader = new TrackReader(bytes);
    const { frames, position_step: step, rotation_step: turn } = data;
    this.name = data.name;
    this.bodies = data.bodies;
    this.times = reader.nextExact(frames, data.time_step);
    this.com = [0, 1, 2].map(() => reader.next(frames, step));
    this.tracks = data.bodies.flatMap(() => [0, 1, 2, 3, 4, 5, 6].map((part) => reader.next(frames, part < 3 ? step : turn)));
    this.channels = data.channels.map(({ low, step: fine, ...rest }) => ({
      ...rest,
      columns: low.map((lowest, n) => reader.nextExact(frames, fine[n], lowest)),
    }));
    this.arrowCount = data.arrows.count;
    this.arrowTracks = Array.from({ length: 6 * this.arrowCount }, (_, n) => reader.next(frames, n % 6 < 3 ? data.arrows.point_step : data.arrows.step));
    this.ground = GroundForm.read(data.ground, reader);
  }

  static async read(data: LifeData): Promise<Life> {
    const holder = document.getElementById(data.motion);
    if (!holder?.textContent) throw new Error(`the motion of ${data.name} is missing in this page`);
    return new Life(data, await unpacked(fromBase64(holder.textContent.trim())));
  }

  get start(): number {
    return this.times[0];
  }

  get end(): number {
    return this.times[this.times.length - 1];
  }

  /** The frames around a time, and how far between them it lies. */
  moment(time: number): Moment {
    const last = this.times.length - 1;
    if (!(time > this.start)) return { frame: 0, next: 0, part: 0 };
    if (time >= this.end) return { frame: last, next: last, part: 0 };
    let low = 0, high = last;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.times[middle] <= time) low = middle;
      else high = middle;
    }
    return { frame: low, next: high, part: (time - this.times[low]) / (this.times[high] - this.times[low]) };
  }

  nearestFrame(time: number): number {
    const { frame, next, part } = this.moment(time);
    return part < 0.5 ? frame : next;
  }

  /** All poses at a time, from the roots outwards. */
  poseAt(time: number, pose: Pose): void {
    const moment = this.moment(time);
    const { position, rotation } = pose;
    const turn = new Float64Array(4);
    for (let body = 0; body < this.bodies.length; body++) {
      const { frame, next, part } = moment;
      const track = 7 * body;
      const x = between(this.tracks[track], frame, next, part);
      const y = between(this.tracks[track + 1], frame, next, part);
      const z = between(this.tracks[track + 2], frame, next, part);
      this.turnBetween(track + 3, moment, turn);
      place(position, rotation, body, this.bodies[body].parent, x, y, z, turn);
    }
  }

  private turnBetween(track: number, { frame, next, part }: Moment, turn: Float64Array): void {
    const from = [0, 0, 0, 0], to = [0, 0, 0, 0];
    let cosine = 0, constant = true;
    for (let i = 0; i < 4; i++) {
      const values = this.tracks[track + i];
      constant &&= values.length === 1;
      from[i] = values.length === 1 ? values[0] : values[frame];
      to[i] = values.length === 1 ? values[0] : values[next];
      cosine += from[i] * to[i];
    }
    let a = 1 - part, b = part;
    if (!constant && cosine < 0.9995) {
      const angle = Math.acos(Math.max(-1, Math.min(1, cosine)));
      const sine = Math.sin(angle);
      a = Math.sin(a * angle) / sine;
      b = Math.sin(b * angle) / sine;
    }
    let length = 0;
    for (let i = 0; i < 4; i++) {
      turn[i] = a * from[i] + b * to[i];
      length += turn[i] * turn[i];
    }
    length = Math.sqrt(length) || 1;
    for (let i = 0; i < 4; i++) turn[i] /= length;
  }

  comAt(time: number): Triple {
    const { frame, next, part } = this.moment(time);
    return this.com.map((track) => between(track, frame, next, part)) as Triple;
  }

  /** Point and force of an arrow at a time. A contact that begins, ends or leaps to another point does not glide there. */
  arrowAt(arrow: number, time: number, leap: number): number[] {
    const { frame, next, part } = this.moment(time);
    const from = this.arrowIn(arrow, frame), to = this.arrowIn(arrow, next);
    const way = Math.hypot(to[0] - from[0], to[1] - from[1], to[2] - from[2]);
    if (way > leap || strength(from) === 0 || strength(to) === 0) return part < 0.5 ? from : to;
    return from.map((value, n) => value + part * (to[n] - value));
  }

  /** The arrow of the last `span` seconds that has faded least, being strong or late; how much of it is left, and the arrow. */
  echoAt(arrow: number, time: number, span: number): { left: number; arrow: number[] } | null {
    let best = 0, left = 0, found = -1;
    for (let frame = this.moment(time).frame; frame >= 0; frame--) {
      const rest = 1 - (time - this.times[frame]) / span;
      if (rest <= 0) break;
      const force = rest * this.forceIn(arrow, frame);
      if (force > best) [best, left, found] = [force, rest, frame];
    }
    return found < 0 ? null : { left, arrow: this.arrowIn(arrow, found) };
  }

  private arrowIn(arrow: number, frame: number): number[] {
    return [0, 1, 2, 3, 4, 5].map((part) => this.arrowPart(6 * arrow + part, frame));
  }

  private forceIn(arrow: number, frame: number): number {
    const part = 6 * arrow + 3;
    return Math.hypot(this.arrowPart(part, frame), this.arrowPart(part + 1, frame), this.arrowPart(part + 2, frame));
  }

  private arrowPart(part: number, frame: number): number {
    const track = this.arrowTracks[part];
    return track[track.length === 1 ? 0 : frame];
  }
}

/** Force of an arrow [N]. */
export function strength(arrow: number[]): number {
  return Math.hypot(arrow[3], arrow[4], arrow[5]);
}

/** World pose of a body: that of its parent, then its own. */
function place(
  position: Float64Array, rotation: Float64Array, body: number, parent: number, x: number, y: number, z: number, turn: Float64Array,
): void {
  const p = 3 * body, r = 4 * body;
  if (parent < 0) {
    position.set([x, y, z], p);
    rotation.set(turn, r);
    return;
  }
  const w = rotation[4 * parent], i = rotation[4 * parent + 1], j = rotation[4 * parent + 2], k = rotation[4 * parent + 3];
  // v + 2w(u × v) + 2u × (u × v), with u the vector part
  const cx = j * z - k * y, cy = k * x - i * z, cz = i * y - j * x;
  position[p] = position[3 * parent] + x + 2 * (w * cx + j * cz - k * cy);
  position[p + 1] = position[3 * parent + 1] + y + 2 * (w * cy + k * cx - i * cz);
  position[p + 2] = position[3 * parent + 2] + z + 2 * (w * cz + i * cy - j * cx);
  const [a, b, c, d] = turn;
  rotation[r] = w * a - i * b - j * c - k * d;
  rotation[r + 1] = w * b + i * a + j * d - k * c;
  rotation[r + 2] = w * c - i * d + j * a + k * b;
  rotation[r + 3] = w * d + i * c - j * b + k * a;
}
