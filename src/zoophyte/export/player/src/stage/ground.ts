// A calm ground, level, tilted or hilly, whose grid fades with distance into the horizon, and the shadow that lies on it.

import {
  type BufferGeometry, CircleGeometry, Color, Group, LinearSRGBColorSpace, Mesh, Quaternion, ShaderMaterial, UniformsLib, UniformsUtils, Vector3,
} from "three";
import type { GroundForm } from "../data/ground";
import { SKY_COLOUR, Sky } from "./sky";
import { reliefGeometry } from "./terrain";
import type { SceneColours } from "./theme";

const UP = new Vector3(0, 0, 1);

const VERTEX = /* glsl */ `
  #include <common>
  #include <shadowmap_pars_vertex>
  varying vec3 place, leaning;
  void main() {
    #include <beginnormal_vertex>
    #include <defaultnormal_vertex>
    #include <begin_vertex>
    #include <project_vertex>
    #include <worldpos_vertex>
    #include <shadowmap_vertex>
    place = (modelMatrix * vec4(position, 1.0)).xyz;
    leaning = mat3(modelMatrix) * normal;
  }`;

// Lines are as wide as a pixel and a half wherever they are, and vanish before they alias.
// Level ground in the sun has its own colour; a slope is as much lighter or darker as it faces the sun, a little more than in
// nature, so that low hills can be seen. Where triangles meet sharply, the ground has an edge and is not smoothed.
const FRAGMENT = /* glsl */ `
  #include <common>
  #include <packing>
  #include <bsdfs>
  #include <lights_pars_begin>
  #include <shadowmap_pars_fragment>
  #include <shadowmask_pars_fragment>
  varying vec3 place, leaning;
  uniform vec3 centre, ground, line, shadowColour, towardsSun, across, along;
  uniform float cell, reach, strength, shadowDepth, shadowReach;
  uniform vec3 shadowCentre;
  ${SKY_COLOUR}
  float grid(vec2 at, float width, vec2 plain) {
    vec2 slope = fwidth(at);
    vec2 away = abs(fract(at - 0.5) - 0.5) / max(slope, vec2(1e-6));
    vec2 near = plain * (1.0 - min(away / width, 1.0)) * (1.0 - smoothstep(0.15, 0.55, slope));
    return max(near.x, near.y);
  }
  float sunlit() {
    float aside = length(cross(place - shadowCentre, towardsSun)) / shadowReach;
    return mix(getShadowMask(), 1.0, smoothstep(0.8, 1.0, aside));
  }
  void main() {
    vec2 at = vec2(dot(place, across), dot(place, along));
    float away = length(at - vec2(dot(centre, across), dot(centre, along))) / reach;
    float fade = 1.0 - smoothstep(0.0, 0.75, away);
    vec3 soft = normalize(leaning);
    vec2 plain = vec2(1.0);
    float even = 1.0;
    #ifdef HILLY
      vec3 flatly = normalize(cross(dFdx(place), dFdy(place)));
      flatly *= sign(flatly.z);
      even = smoothstep(0.82, 0.94, dot(flatly, soft));
      soft = normalize(mix(flatly, soft, even));
      plain -= smoothstep(1.2, 3.0, abs(flatly.xy) / max(flatly.z, 1e-3)); // a line across a wall would cover all of it
    #endif
    float lines = max(0.5 * grid(at / cell, 1.1, plain), grid(at / (5.0 * cell), 1.3, plain));
    vec3 colour = mix(ground, line, strength * lines * fade * fade) * (1.0 - 0.13 * (1.0 - even));
    float facing = max(1.0 + 1.35 * (dot(soft, towardsSun) / towardsSun.z - 1.0), 0.0);
    float full = min(facing, 1.0), lit = sunlit();
    float grazed = 0.45 * smoothstep(0.0, 0.12, dot(soft, towardsSun)); // what casts a shadow darkens a steep slope no less
    colour = mix(colour, shadowColour, shadowDepth * (0.55 * (1.0 - full) + (1.0 - lit) * max(full, grazed)));
    colour *= (1.0 + 0.14 * lit * (facing - full)) * mix(0.85, 1.0, soft.z);
    gl_FragColor = vec4(mix(colour, sky(place - cameraPosition), smoothstep(0.12, 1.0, away)), 1.0);
  }`;

const FARTHER = 1.7; // hills are seen farther than a plain, which looks the same everywhere

export class Ground {
  readonly group = new Group();
  readonly hasGrid: boolean;
  private readonly sky: Sky;
  private readonly material: ShaderMaterial | null = null;
  private readonly disc: Mesh | null = null;
  cell = 1; // metres between two lines

  constructor(
    private readonly form: GroundForm,
    private readonly radius: number,
    towardsSun: Vector3,
  ) {
    this.hasGrid = form.kind !== "none";
    this.sky = new Sky(!this.hasGrid);
    this.group.add(this.sky.mesh);
    if (form.kind === "none") return;
    const normal = new Vector3(...form.normal);
    const [across, along] = form.kind === "plane" ? gridAxes(normal) : [new Vector3(1, 0, 0), new Vector3(0, 1, 0)];
    const own = {
      centre: { value: new Vector3() }, ground: { value: new Color() }, line: { value: new Color() }, shadowColour: { value: new Color() },
      towardsSun: { value: towardsSun }, across: { value: across }, along: { value: along },
      cell: { value: this.cell }, reach: { value: 1 }, strength: { value: 1 }, shadowDepth: { value: 0 }, shadowReach: { value: 1 },
      shadowCentre: { value: new Vector3() },
    };
    this.material = new ShaderMaterial({
      vertexShader: VERTEX, fragmentShader: FRAGMENT, lights: true, defines: form.relief ? { HILLY: "" } : {},
      uniforms: { ...UniformsUtils.clone(UniformsLib.lights), ...own, ...this.sky.uniforms },
    });
    const geometry: BufferGeometry = form.relief ? reliefGeometry(form.relief, radius) : new CircleGeometry(1, 96);
    const mesh = new Mesh(geometry, this.material);
    mesh.receiveShadow = true;
    mesh.castShadow = form.relief !== null;
    mesh.frustumCulled = false;
    if (!form.relief) {
      mesh.quaternion.copy(new Quaternion().setFromUnitVectors(UP, normal));
      this.disc = mesh;
    }
    this.group.add(mesh);
  }

  paint(colours: SceneColours): void {
    // These shaders write to the screen as it is: colours stay as they are written, without the renderer's tone mapping.
    const plain = (colour: string): Color => new Color().setStyle(colour, LinearSRGBColorSpace);
    this.sky.paint(colours, plain);
    if (!this.material) return;
    const { uniforms } = this.material;
    uniforms.ground.value = plain(colours.ground);
    uniforms.line.value = plain(colours.line);
    uniforms.shadowColour.value = plain(colours.shadowColour);
    uniforms.strength.value = colours.lineStrength;
    uniforms.shadowDepth.value = colours.shadow;
  }

  /** Keeps the disc below what is looked at; the farther away the camera, the farther it reaches and the wider its grid. */
  follow(target: Vector3, distance: number): void {
    this.cell = roundLength(0.15 * distance);
    if (!this.material) return;
    const reach = Math.max(9 * this.radius, 3.2 * distance) * (this.disc ? 1 : FARTHER);
    if (this.disc) {
      const normal = new Vector3(...this.form.normal);
      this.disc.position.copy(target).addScaledVector(normal, -this.form.gap(target.x, target.y, target.z));
      this.disc.scale.setScalar(4 * reach);
    }
    const { uniforms } = this.material;
    (uniforms.centre.value as Vector3).copy(target);
    uniforms.reach.value = reach;
    uniforms.cell.value = this.cell;
  }

  /** Where the shadow's map lies: beyond its edge nothing is known, so that shadows fade out before. */
  shade(centre: Vector3, reach: number): void {
    if (!this.material) return;
    (this.material.uniforms.shadowCentre.value as Vector3).copy(centre);
    this.material.uniforms.shadowReach.value = reach;
  }
}

/** Two axes in a plane, the first as near to x as can be, or to y where x is the normal. */
function gridAxes(normal: Vector3): [Vector3, Vector3] {
  const first = Math.abs(normal.x) < 0.99 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
  first.addScaledVector(normal, -first.dot(normal)).normalize();
  return [first, new Vector3().crossVectors(normal, first)];
}

/** The nearest of 1, 2, 5 times a power of ten below a length. */
export function roundLength(length: number): number {
  const power = 10 ** Math.floor(Math.log10(length));
  return ([5, 2].find((factor) => factor * power <= length) ?? 1) * power;
}
