// A calm ground whose grid fades with distance into the horizon, a sky, and the shadow that lies on the ground.

import { BackSide, CircleGeometry, Color, Group, LinearSRGBColorSpace, Mesh, ShaderMaterial, ShadowMaterial, SphereGeometry, Vector3 } from "three";
import type { SceneColours } from "./theme";

const GROUND_VERTEX = /* glsl */ `
  varying vec3 place;
  void main() {
    vec4 world = modelMatrix * vec4(position, 1.0);
    place = world.xyz;
    gl_Position = projectionMatrix * viewMatrix * world;
  }`;

// Lines are as wide as a pixel and a half wherever they are, and vanish before they alias.
const GROUND_FRAGMENT = /* glsl */ `
  varying vec3 place;
  uniform vec3 centre, ground, horizon, line;
  uniform float cell, reach, strength;
  float grid(vec2 at, float width) {
    vec2 slope = fwidth(at);
    vec2 away = abs(fract(at - 0.5) - 0.5) / max(slope, vec2(1e-6));
    float near = 1.0 - min(min(away.x, away.y) / width, 1.0);
    return near * (1.0 - smoothstep(0.15, 0.55, max(slope.x, slope.y)));
  }
  void main() {
    float away = length(place.xy - centre.xy) / reach;
    float fade = 1.0 - smoothstep(0.0, 0.75, away);
    float lines = max(0.5 * grid(place.xy / cell, 1.1), grid(place.xy / (5.0 * cell), 1.3));
    vec3 colour = mix(ground, line, strength * lines * fade * fade);
    gl_FragColor = vec4(mix(colour, horizon, smoothstep(0.12, 1.0, away)), 1.0);
  }`;

const SKY_VERTEX = /* glsl */ `
  varying vec3 direction;
  void main() {
    direction = position;
    gl_Position = (projectionMatrix * vec4(mat3(viewMatrix) * position, 1.0)).xyww;
  }`;

const SKY_FRAGMENT = /* glsl */ `
  varying vec3 direction;
  uniform vec3 horizon, zenith;
  float noise(vec2 at) { return fract(sin(dot(at, vec2(12.9898, 78.233))) * 43758.5453); }
  void main() {
    float height = max(normalize(direction).z, 0.0);
    vec3 colour = mix(horizon, zenith, pow(smoothstep(0.0, 0.75, height), 0.65));
    gl_FragColor = vec4(colour + (noise(gl_FragCoord.xy) - 0.5) / 255.0, 1.0);
  }`;

export class Ground {
  readonly group = new Group();
  private readonly surface: ShaderMaterial;
  private readonly sky: ShaderMaterial;
  private readonly shadow: ShadowMaterial;
  private readonly plane = new Group();
  cell = 1; // metres between two lines

  constructor(
    height: number,
    private readonly radius: number,
  ) {
    const uniforms = { centre: new Vector3(), ground: new Color(), horizon: new Color(), line: new Color(), cell: this.cell, reach: 1, strength: 1 };
    this.surface = new ShaderMaterial({ vertexShader: GROUND_VERTEX, fragmentShader: GROUND_FRAGMENT, uniforms: wrapped(uniforms) });
    this.sky = new ShaderMaterial({
      vertexShader: SKY_VERTEX, fragmentShader: SKY_FRAGMENT, side: BackSide, depthWrite: false,
      uniforms: wrapped({ horizon: new Color(), zenith: new Color() }),
    });
    this.shadow = new ShadowMaterial({ polygonOffset: true, polygonOffsetFactor: -2, polygonOffsetUnits: -2, depthWrite: false });
    const disc = new CircleGeometry(1, 96);
    const floor = new Mesh(disc, this.surface), shade = new Mesh(disc, this.shadow);
    shade.receiveShadow = true;
    this.plane.add(floor, shade);
    this.plane.position.z = height;
    const dome = new Mesh(new SphereGeometry(1, 32, 24), this.sky);
    dome.frustumCulled = floor.frustumCulled = shade.frustumCulled = false;
    dome.renderOrder = -1;
    this.group.add(this.plane, dome);
  }

  paint(colours: SceneColours): void {
    // These shaders write to the screen as it is: colours stay as they are written, without the renderer's tone mapping.
    const plain = (colour: string): Color => new Color().setStyle(colour, LinearSRGBColorSpace);
    this.surface.uniforms.ground.value = plain(colours.ground);
    this.surface.uniforms.horizon.value = plain(colours.horizon);
    this.surface.uniforms.line.value = plain(colours.line);
    this.surface.uniforms.strength.value = colours.lineStrength;
    this.sky.uniforms.horizon.value = plain(colours.horizon);
    this.sky.uniforms.zenith.value = plain(colours.zenith);
    this.shadow.opacity = colours.shadow;
    this.shadow.color.set(colours.shadowColour);
  }

  /** Keeps the disc below what is looked at; the farther away the camera, the farther it reaches and the wider its grid. */
  follow(target: Vector3, distance: number): void {
    const reach = Math.max(9 * this.radius, 3.2 * distance);
    this.plane.position.set(target.x, target.y, this.plane.position.z);
    this.plane.scale.set(4 * reach, 4 * reach, 1);
    (this.surface.uniforms.centre.value as Vector3).copy(target);
    this.surface.uniforms.reach.value = reach;
    this.surface.uniforms.cell.value = this.cell = roundLength(0.15 * distance);
  }
}

function wrapped(values: Record<string, unknown>): Record<string, { value: unknown }> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }]));
}

/** The nearest of 1, 2, 5 times a power of ten below a length. */
export function roundLength(length: number): number {
  const power = 10 ** Math.floor(Math.log10(length));
  return ([5, 2].find((factor) => factor * power <= length) ?? 1) * power;
}
