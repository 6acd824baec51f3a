// Bodies as instances: one draw call for each kind of part, however many bodies there are.

import {
  Color, Group, InstancedBufferAttribute, InstancedMesh, LineBasicMaterial, LineSegments, MeshStandardMaterial, SRGBColorSpace,
} from "three";
import type { Life, Pose } from "../data/life";
import { type Part, geometriesOf, partsOf } from "./geometry";

const INK = 0.4;

export interface Look {
  copies: number; // poses shown at once
  opacity: number;
  tint: Color | null; // instead of the bodies' own colours
}

interface Batch {
  parts: Part[];
  solid: InstancedMesh;
  wire: LineSegments;
}

export class BodySet {
  readonly group = new Group();
  readonly bodyCount: number;
  private readonly batches: Batch[] = [];
  private readonly solidMaterial: MeshStandardMaterial;
  private readonly wireMaterial: LineBasicMaterial;

  constructor(life: Life, look: Look) {
    const seeThrough = look.opacity < 1;
    this.solidMaterial = new MeshStandardMaterial({ roughness: 0.5, metalness: 0, transparent: seeThrough, opacity: look.opacity });
    this.wireMaterial = new LineBasicMaterial({ transparent: seeThrough, opacity: Math.min(1, 1.6 * look.opacity) });
    const { parts, polyhedra } = partsOf(life.bodies);
    this.bodyCount = new Set(parts.map((part) => part.body)).size;
    const detail = parts.length * look.copies < 300 ? 1 : parts.length * look.copies < 1500 ? 0.4 : 0;
    const byKey = new Map<string, Part[]>();
    for (const part of parts) byKey.set(part.key, [...(byKey.get(part.key) ?? []), part]);
    for (const [key, members] of byKey) {
      const { solid, wire } = geometriesOf(key, polyhedra, detail);
      const mesh = new InstancedMesh(solid, this.solidMaterial, members.length * look.copies);
      mesh.castShadow = mesh.receiveShadow = !seeThrough;
      mesh.frustumCulled = false;
      mesh.instanceColor = coloursOf(members, look);
      const drawn = instancedLines(new LineSegments(wire, this.wireMaterial), mesh);
      this.batches.push({ parts: members, solid: mesh, wire: drawn });
      this.group.add(mesh, drawn);
    }
    this.setWire(false);
  }

  /** Lines need more contrast than surfaces do: their colours move towards that of ink. */
  paint(ink: string): void {
    const [colour, towards] = [new Color(), new Color(ink)];
    for (const { solid, wire } of this.batches) {
      const own = solid.instanceColor, lines = (wire as unknown as InstancedMesh).instanceColor;
      if (!own || !lines) continue;
      for (let n = 0; n < own.count; n++) colour.fromArray(own.array, 3 * n).lerp(towards, INK).toArray(lines.array, 3 * n);
      lines.needsUpdate = true;
    }
  }

  setWire(wire: boolean): void {
    for (const batch of this.batches) {
      batch.solid.visible = !wire;
      batch.wire.visible = wire;
    }
  }

  /** Puts one copy of all bodies where a pose says. */
  place(pose: Pose, copy = 0): void {
    for (const { parts, solid } of this.batches) {
      const matrices = solid.instanceMatrix.array;
      parts.forEach((part, n) => compose(pose, part, matrices, 16 * (copy * parts.length + n)));
      solid.instanceMatrix.needsUpdate = true;
    }
  }

  /** Draws no more than the first copies. */
  show(copies: number): void {
    for (const { parts, solid, wire } of this.batches) solid.count = (wire as unknown as InstancedMesh).count = copies * parts.length;
  }

  dispose(): void {
    for (const { solid, wire } of this.batches) {
      solid.geometry.dispose();
      wire.geometry.dispose();
      solid.dispose();
    }
    this.solidMaterial.dispose();
    this.wireMaterial.dispose();
  }
}

function coloursOf(parts: Part[], look: Look): InstancedBufferAttribute {
  const colours = new Float32Array(3 * parts.length * look.copies);
  for (let n = 0; n < parts.length * look.copies; n++) {
    const own = new Color().setRGB(...parts[n % parts.length].colour, SRGBColorSpace);
    (look.tint ?? own).toArray(colours, 3 * n);
  }
  return new InstancedBufferAttribute(colours, 3);
}

/** three.js instances meshes only by name: its renderer treats whatever carries these fields the same way. */
function instancedLines(lines: LineSegments, mesh: InstancedMesh): LineSegments {
  const { instanceMatrix, count } = mesh;
  const instanceColor = mesh.instanceColor?.clone() ?? null;
  lines.frustumCulled = false;
  return Object.assign(lines, { isInstancedMesh: true, instanceMatrix, instanceColor, count, morphTexture: null });
}

/** matrix = pose of the body × place of the part in it, column by column. */
function compose(pose: Pose, part: Part, matrices: ArrayLike<number> & { [n: number]: number }, at: number): void {
  const p = 3 * part.body, r = 4 * part.body;
  const w = pose.rotation[r], x = pose.rotation[r + 1], y = pose.rotation[r + 2], z = pose.rotation[r + 3];
  const xx = 1 - 2 * (y * y + z * z), xy = 2 * (x * y - w * z), xz = 2 * (x * z + w * y);
  const yx = 2 * (x * y + w * z), yy = 1 - 2 * (x * x + z * z), yz = 2 * (y * z - w * x);
  const zx = 2 * (x * z - w * y), zy = 2 * (y * z + w * x), zz = 1 - 2 * (x * x + y * y);
  const local = part.local.elements;
  for (let column = 0; column < 4; column++) {
    const a = local[4 * column], b = local[4 * column + 1], c = local[4 * column + 2];
    const moved = column === 3 ? 1 : 0;
    matrices[at + 4 * column] = xx * a + xy * b + xz * c + moved * pose.position[p];
    matrices[at + 4 * column + 1] = yx * a + yy * b + yz * c + moved * pose.position[p + 1];
    matrices[at + 4 * column + 2] = zx * a + zy * b + zz * c + moved * pose.position[p + 2];
    matrices[at + 4 * column + 3] = moved;
  }
}
