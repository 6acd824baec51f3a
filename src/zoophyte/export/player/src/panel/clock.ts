// Time of the replay: running, stepping, scrubbing, looping.

import type { Life } from "../data/life";

export const SPEEDS = [1 / 40, 1 / 20, 1 / 10, 1 / 4, 1 / 2, 1, 2, 4, 8];

export class Clock {
  time: number;
  speed = 1;
  loop = true;
  private running = false;

  constructor(private readonly life: Life) {
    this.time = life.start;
  }

  get isRunning(): boolean {
    return this.running;
  }

  get share(): number {
    const length = this.life.end - this.life.start;
    return length > 0 ? (this.time - this.life.start) / length : 0;
  }

  run(on: boolean): void {
    if (on && this.time >= this.life.end) this.time = this.life.start;
    this.running = on && this.life.end > this.life.start;
  }

  seek(time: number): void {
    this.time = Math.min(this.life.end, Math.max(this.life.start, time));
  }

  /** To a recorded frame, some away from the present one. */
  step(frames: number): void {
    this.running = false;
    const { frame, part } = this.life.moment(this.time);
    // Between two frames a step back leads to the earlier of them.
    const from = part > 0 && frames < 0 ? frame + 1 : frame;
    const wanted = Math.min(this.life.times.length - 1, Math.max(0, from + frames));
    this.time = this.life.times[wanted];
  }

  advance(seconds: number): void {
    if (!this.running) return;
    const length = this.life.end - this.life.start;
    this.time += this.speed * seconds;
    if (this.time < this.life.end) return;
    if (this.loop) this.time = this.life.start + ((this.time - this.life.start) % length);
    else {
      this.time = this.life.end;
      this.running = false;
    }
  }
}

export function speedName(speed: number): string {
  return speed < 1 ? `1/${Math.round(1 / speed)}×` : `${speed}×`;
}
