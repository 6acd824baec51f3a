// The sky: a gradient from the horizon upwards; where there is no ground, also downwards.

import { BackSide, Color, Mesh, ShaderMaterial, SphereGeometry, Vector2, Vector3 } from "three";
import type { SceneColours } from "./theme";

/** Towards the sun. */
export const SUN = new Vector3(0.42, -0.62, 1.15).normalize();

/** The colour of the sky in a direction; the ground melts into it far away. */
export const SKY_COLOUR = /* glsl */ `
  uniform vec3 horizon, zenith, nadir;
  uniform vec2 haze;
  vec3 sky(vec3 direction) {
    float height = normalize(direction).z - haze.x;
    if (height < 0.0) return mix(horizon, nadir, smoothstep(0.0, 0.9, -height));
    return mix(horizon, zenith, pow(smoothstep(0.0, haze.y, height), 0.65));
  }`;

const VERTEX = /* glsl */ `
  varying vec3 direction;
  void main() {
    direction = position;
    gl_Position = (projectionMatrix * vec4(mat3(viewMatrix) * position, 1.0)).xyww;
  }`;

const FRAGMENT = /* glsl */ `
  varying vec3 direction;
  ${SKY_COLOUR}
  float noise(vec2 at) { return fract(sin(dot(at, vec2(12.9898, 78.233))) * 43758.5453); }
  void main() {
    gl_FragColor = vec4(sky(direction) + (noise(gl_FragCoord.xy) - 0.5) / 255.0, 1.0);
  }`;

export interface SkyUniforms {
  [name: string]: { value: Color | Vector2 };
  horizon: { value: Color };
  zenith: { value: Color };
  nadir: { value: Color };
  haze: { value: Vector2 };
}

export function skyUniforms(): SkyUniforms {
  return { horizon: { value: new Color() }, zenith: { value: new Color() }, nadir: { value: new Color() }, haze: { value: new Vector2() } };
}

/** The dome; below a ground the sky has the horizon's colour, which is all that can be seen of it. */
export class Sky {
  readonly mesh: Mesh<SphereGeometry, ShaderMaterial>;
  readonly uniforms = skyUniforms();

  constructor(private readonly isOpen: boolean) {
    const material = new ShaderMaterial({ vertexShader: VERTEX, fragmentShader: FRAGMENT, side: BackSide, depthWrite: false, uniforms: this.uniforms });
    this.mesh = new Mesh(new SphereGeometry(1, 32, 24), material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = -1;
  }

  paint(colours: SceneColours, plain: (colour: string) => Color): void {
    this.uniforms.horizon.value.copy(plain(colours.horizon));
    this.uniforms.haze.value.set(...colours.haze);
    this.uniforms.zenith.value.copy(plain(colours.zenith));
    this.uniforms.nadir.value.copy(plain(this.isOpen ? colours.nadir : colours.horizon));
  }
}
