// The one WebGL renderer of the page; the player and the gallery's pictures take turns with it.

import { NeutralToneMapping, PCFShadowMap, PerspectiveCamera, type Texture, type Vector3, WebGLRenderer } from "three";
import { surroundings } from "./surroundings";
import type { Tableau } from "./tableau";
import { SCENES, type ThemeName } from "./theme";

const SHARPEST = 2; // device pixels per pixel; more costs much and shows little

/** Limits of sharpness and pixels of the shadow's map, one after the other while drawing takes too long. */
const COARSER: [number, number][] = [[1.25, 1024], [0.8, 512]];

export class View {
  readonly canvas: HTMLCanvasElement;
  private readonly renderer: WebGLRenderer;
  private readonly surroundings: Texture;
  private sharpest = SHARPEST;
  private coarseness = 0;
  drawn = 0;

  constructor() {
    this.renderer = new WebGLRenderer({ antialias: true, powerPreference: "high-performance", preserveDrawingBuffer: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.toneMapping = NeutralToneMapping;
    this.renderer.toneMappingExposure = 1;
    this.canvas = this.renderer.domElement;
    this.canvas.className = "view";
    this.surroundings = surroundings(this.renderer);
  }

  /** Draws less finely from now on; says whether it could. */
  coarsen(tableau: Tableau): boolean {
    if (this.coarseness >= COARSER.length) return false;
    const [sharpness, pixels] = COARSER[this.coarseness++];
    this.sharpest = sharpness;
    tableau.coarsen(pixels);
    return true;
  }

  resize(width: number, height: number, ratio = window.devicePixelRatio || 1): void {
    this.renderer.setPixelRatio(Math.min(ratio, this.sharpest));
    this.renderer.setSize(width, height, false);
  }

  draw(tableau: Tableau, camera: PerspectiveCamera, target: Vector3, time: number, theme: ThemeName): void {
    tableau.scene.environment = this.surroundings;
    tableau.scene.environmentIntensity = SCENES[theme].surround;
    tableau.update(time, camera, target);
    this.renderer.render(tableau.scene, camera);
    this.drawn++;
  }

  get drawCalls(): number {
    return this.renderer.info.render.calls;
  }
}
