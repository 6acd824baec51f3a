// Colours of the scene in both themes; those of the panel are in style.css.

export type ThemeName = "light" | "dark";

export interface SceneColours {
  zenith: string;
  horizon: string;
  nadir: string; // below, where there is no ground
  haze: readonly [number, number]; // height of a direction where the sky begins to turn to the zenith's colour, and over which it does
  ground: string;
  line: string;
  lineStrength: number;
  shadow: number;
  shadowColour: string;
  sky: string; // light from above
  bounce: string; // light from below
  hemisphere: number;
  sun: number;
  fill: number;
  surround: number; // light from everywhere, mirrored a little
  ink: string; // paths and marks
  accent: string;
}

/** A sky whose colour was named has it at the horizon: cameras that look down see nothing higher. */
export const NAMED_HAZE = [-0.12, 0.12] as const;

export const SCENES: Record<ThemeName, SceneColours> = {
  light: {
    zenith: "#bfd3e6", horizon: "#eef2f5", nadir: "#cbd8e3", haze: [0, 0.75], ground: "#dfe5e8", line: "#8c9daa", lineStrength: 0.55,
    shadow: 0.34, shadowColour: "#1b2a3a", sky: "#ffffff", bounce: "#c9cfc8", hemisphere: 0.7, sun: 2.3, fill: 0.35, surround: 0.75,
    ink: "#26323d", accent: "#c2410c",
  },
  dark: {
    zenith: "#0b0f14", horizon: "#1c242c", nadir: "#10161c", haze: [0, 0.75], ground: "#1f272f", line: "#5f707e", lineStrength: 0.5,
    shadow: 0.62, shadowColour: "#000000", sky: "#dfe9f5", bounce: "#3a4148", hemisphere: 0.55, sun: 2.3, fill: 0.45, surround: 0.6,
    ink: "#dbe4ec", accent: "#fb923c",
  },
};
