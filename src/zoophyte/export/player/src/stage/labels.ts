// Names of bodies, written next to them on a canvas above the scene; a name that would cover another is left out.

import { type PerspectiveCamera, Vector3 } from "three";
import type { Life, Pose } from "../data/life";

const HEIGHT = 18;

export function drawNames(canvas: HTMLCanvasElement, camera: PerspectiveCamera, life: Life, pose: Pose, shown: boolean): number {
  const paint = canvas.getContext("2d");
  if (!paint) return 0;
  const ratio = window.devicePixelRatio || 1;
  const width = canvas.clientWidth, height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  paint.setTransform(ratio, 0, 0, ratio, 0, 0);
  paint.clearRect(0, 0, width, height);
  if (!shown) return 0;
  const style = getComputedStyle(canvas);
  paint.font = `500 12px ${style.fontFamily}`;
  paint.textBaseline = "middle";
  const taken: [number, number, number][] = [];
  const point = new Vector3();
  let written = 0;
  for (let body = 0; body < life.bodies.length; body++) {
    point.fromArray(pose.position, 3 * body).project(camera);
    if (point.z > 1 || Math.abs(point.x) > 1 || Math.abs(point.y) > 1) continue;
    const x = 0.5 * width * (1 + point.x) + 10, y = 0.5 * height * (1 - point.y);
    const name = shortened(life.bodies[body].name);
    const long = paint.measureText(name).width + 12;
    if (taken.some(([left, top, size]) => Math.abs(top - y) < HEIGHT + 2 && x < left + size && left < x + long)) continue;
    taken.push([x, y, long]);
    paint.fillStyle = style.getPropertyValue("--label");
    paint.beginPath();
    paint.roundRect(x, y - HEIGHT / 2, long, HEIGHT, 5);
    paint.fill();
    paint.beginPath();
    paint.arc(x - 10, y, 2.5, 0, 2 * Math.PI);
    paint.fillStyle = style.color;
    paint.fill();
    paint.fillText(name, x + 6, y + 0.5);
    written++;
  }
  return written;
}

function shortened(name: string): string {
  return name.length > 40 ? `${name.slice(0, 39)}…` : name;
}
