// What the page carries: written by packing.py, read here. Lengths in metres, z up, quaternions (w, x, y, z).

export type Triple = [number, number, number];
export type Quadruple = [number, number, number, number];

interface Placed {
  position: Triple;
  rotation: Quadruple;
  colour: Triple;
}

export type ShapeData = Placed &
  (
    | { kind: "sphere"; radius: number }
    | { kind: "box"; size: Triple }
    | { kind: "capsule" | "cylinder"; radius: number; length: number }
    | { kind: "ellipsoid"; semi_axes: Triple }
    | { kind: "frustum" | "tapered_capsule"; radius_start: number; radius_end: number; length: number }
    | { kind: "polyhedron"; vertices: Triple[]; faces: number[][] }
  );

export interface BodyData {
  name: string;
  parent: number;
  shapes: ShapeData[];
  joint: string;
  axes: Triple[];
}

export interface ChannelData {
  name: string;
  unit: string;
  labels: string[];
  bars: boolean;
  low: number[];
  step: number[];
}

export type GroundData =
  | { kind: "plane"; normal: Triple; height: number }
  | { kind: "terrain"; x: number[]; y: number[]; low: number; step: number };

/** A spring between two bodies, -1 for the ground; null is never. */
export interface ThreadData {
  bodies: [number, number];
  points: [Triple, Triple];
  until: number | null;
}

/** What of the scene's usual look is different: colours as #rrggbb, and how many ghosts a stroboscope shows; null is the usual. */
export interface LookData {
  colours: Partial<Record<"zenith" | "horizon" | "nadir" | "ground" | "line", string>>;
  ghosts: number | null;
}

export interface LifeData {
  name: string;
  note: string;
  frames: number;
  bodies: BodyData[];
  time_step: number;
  position_step: number;
  rotation_step: number;
  channels: ChannelData[];
  arrows: { count: number; step: number; point_step: number; usual_force: number; usual_length: number };
  ground: GroundData | null;
  view: { since: number; azimuth: number | null }; // what shall be in the picture, and from where a slope is seen from its side
  threads: ThreadData[];
  look: LookData;
  motion: string;
}

export interface EntryData {
  life: LifeData;
  ghost: LifeData | null;
}

export interface PageData {
  title: string;
  version: string;
  entries: EntryData[];
}
