// Tracks: numbers over time as whole multiples of a step. A byte says how they are predicted (0 constant, 1 from the value
// before, 2 from the two before); what the prediction misses follows as variable-length integers.

export class TrackReader {
  private place = 0;

  constructor(private readonly bytes: Uint8Array) {}

  /** The next track: one number when it is constant, else one for each frame. */
  next(frames: number, step: number, low = 0): Float32Array {
    const values = this.wholeNumbers(frames);
    return Float32Array.from(values, (value) => low + step * value);
  }

  /** The same with all digits, which times and small changes of large figures need. */
  nextExact(frames: number, step: number, low = 0): Float64Array {
    return this.wholeNumbers(frames).map((value) => low + step * value);
  }

  /** The next track as the whole numbers that are stored. */
  wholeNumbers(frames: number): Float64Array {
    const order = this.bytes[this.place++];
    const first = this.integer();
    if (order === 0) return Float64Array.of(first);
    const values = new Float64Array(frames);
    values[0] = first;
    let speed = 0;
    for (let t = 1; t < frames; t++) {
      values[t] = values[t - 1] + (order === 2 ? speed : 0) + this.integer();
      speed = values[t] - values[t - 1];
    }
    return values;
  }

  /** Seven bits a byte, lowest first; even numbers are positive. Arithmetic, not bit operations: these end at 32 bits. */
  private integer(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      if (this.place >= this.bytes.length) throw new Error("the motion in this page is cut off");
      const byte = this.bytes[this.place++];
      value += (byte & 127) * scale;
      if (byte < 128) break;
    }
    return value % 2 ? -(value + 1) / 2 : value / 2;
  }
}

/** The value of a track between two frames. */
export function between(track: ArrayLike<number>, frame: number, next: number, part: number): number {
  if (track.length === 1) return track[0];
  return track[frame] + part * (track[next] - track[frame]);
}
