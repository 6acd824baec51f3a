// Contact forces as arrows. Up to the usual force an arrow's length is in proportion to it; beyond, where impacts are, it grows
// with the logarithm and has another colour. An arrow that ends or weakens fades, so that a short impact is seen.

import {
  Color, ConeGeometry, CylinderGeometry, Group, InstancedBufferAttribute, InstancedMesh, Matrix4, MeshBasicMaterial, Quaternion, SphereGeometry,
  Vector3,
} from "three";
import { type Life, strength } from "../data/life";

export const TRUE_COLOUR = "#c8408c", SHORTENED_COLOUR = "#e06500";
const UP = new Vector3(0, 0, 1);
const FADING = 0.25; // seconds
const OPAQUE = 0.94, ECHO = 0.7; // opacity of what is, and of what was a moment ago
const SLENDER = 14; // of an arrow: its length over its width, at least
const SLOWLY = 0.5; // grows what is beyond the usual force
const OUTSHONE = 0.9; // of the present force: a fading arrow below that is not drawn

/** An arrow that is drawn. */
export interface Arrow {
  point: number[];
  force: number[];
  length: number; // metres
  opacity: number;
}

export class ForceArrows {
  readonly group = new Group();
  readonly drawn: Arrow[] = [];
  private readonly meshes: InstancedMesh[];
  private readonly opacity: InstancedBufferAttribute;
  private readonly usualForce: number;
  private readonly usualLength: number;
  private longer = 1;

  constructor(
    private readonly life: Life,
    private readonly radius: number,
  ) {
    const { usual_force: force, usual_length: length } = life.data.arrows;
    [this.usualForce, this.usualLength] = [force, length];
    const count = 2 * life.arrowCount;
    this.opacity = new InstancedBufferAttribute(new Float32Array(count), 1);
    const material = fadingMaterial();
    const shapes = [
      new CylinderGeometry(1, 1, 1, 12).rotateX(Math.PI / 2).translate(0, 0, 0.5),
      new ConeGeometry(1, 1, 16).rotateX(Math.PI / 2).translate(0, 0, 0.5),
      new SphereGeometry(1, 16, 12),
    ];
    this.meshes = shapes.map((shape) => {
      const mesh = new InstancedMesh(shape.setAttribute("opacity", this.opacity), material, count);
      mesh.frustumCulled = false;
      mesh.renderOrder = 7;
      return mesh;
    });
    this.group.add(...this.meshes);
  }

  /** Lengths are so many times the usual ones. */
  stretch(longer: number): void {
    this.longer = longer;
  }

  /** Newtons up to which an arrow is to scale, and its length then [m]. */
  get scale(): { force: number; length: number } {
    return { force: this.usualForce, length: this.longer * this.usualLength };
  }

  /** How long the arrow of a force is [m]. */
  private lengthOf(force: number): number {
    const share = force / this.usualForce;
    return this.scale.length * (share <= 1 ? share : 1 + SLOWLY * Math.log(share));
  }

  update(time: number, distance: number): void {
    this.drawn.length = 0;
    for (let n = 0; n < this.life.arrowCount; n++) {
      const now = this.life.arrowAt(n, time, 0.1 * this.radius), force = strength(now);
      const echo = this.life.echoAt(n, time, FADING);
      if (echo && echo.left < 1 && OUTSHONE * echo.left * strength(echo.arrow) > force) this.note(echo.arrow, ECHO * echo.left);
      if (force > 0) this.note(now, OPAQUE);
    }
    this.place(Math.min(0.012 * this.radius, 0.0028 * distance));
  }

  private note(arrow: number[], opacity: number): void {
    this.drawn.push({ point: arrow.slice(0, 3), force: arrow.slice(3), length: this.lengthOf(strength(arrow)), opacity });
  }

  private place(widest: number): void {
    const matrix = new Matrix4(), turn = new Quaternion(), start = new Vector3(), end = new Vector3(), along = new Vector3(), size = new Vector3();
    const colours = [new Color(TRUE_COLOUR), new Color(SHORTENED_COLOUR)];
    const [shafts, heads, points] = this.meshes;
    this.drawn.forEach(({ point, force, length, opacity }, n) => {
      start.set(point[0], point[1], point[2]);
      const strong = along.set(force[0], force[1], force[2]).length() > 1.001 * this.usualForce;
      turn.setFromUnitVectors(UP, along.normalize());
      const width = Math.min(widest, length / SLENDER), tip = Math.min(7 * width, 0.6 * length);
      end.copy(start).addScaledVector(along, length - tip);
      shafts.setMatrixAt(n, matrix.compose(start, turn, size.set(width, width, length - tip)));
      heads.setMatrixAt(n, matrix.compose(end, turn, size.set(2.7 * width, 2.7 * width, tip)));
      points.setMatrixAt(n, matrix.compose(start, turn, size.set(1.6 * width, 1.6 * width, 1.6 * width)));
      for (const mesh of this.meshes) mesh.setColorAt(n, colours[strong ? 1 : 0]);
      this.opacity.setX(n, opacity);
    });
    this.opacity.needsUpdate = true;
    for (const mesh of this.meshes) {
      mesh.count = this.drawn.length;
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }
}

/** A plain material whose instances have opacities of their own. */
function fadingMaterial(): MeshBasicMaterial {
  const material = new MeshBasicMaterial({ depthTest: false, transparent: true });
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = `attribute float opacity;\nvarying float shownOpacity;\n${shader.vertexShader.replace(
      "void main() {", "void main() {\n  shownOpacity = opacity;",
    )}`;
    shader.fragmentShader = `varying float shownOpacity;\n${shader.fragmentShader.replace(
      "#include <color_fragment>", "#include <color_fragment>\n  diffuseColor.a *= shownOpacity;",
    )}`;
  };
  return material;
}
