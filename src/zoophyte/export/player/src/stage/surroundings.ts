// What bodies mirror, blurred: a bright sky with two soft lamps, and a dim floor.

import { BackSide, Color, Mesh, MeshBasicMaterial, PMREMGenerator, PlaneGeometry, Scene, SphereGeometry, type Texture, Vector3, type WebGLRenderer } from "three";

const LAMPS: [Vector3, number, number][] = [
  [new Vector3(3, -4, 7), 5, 7],
  [new Vector3(-7, 3, 3), 4, 3.5],
  [new Vector3(1, 8, 2), 6, 2],
]; // place, size, brightness

export function surroundings(renderer: WebGLRenderer): Texture {
  const scene = new Scene();
  const shell = (bottom: number, size: number, colour: number): Mesh => {
    const geometry = new SphereGeometry(20, 32, 16, 0, 2 * Math.PI, bottom, size).rotateX(Math.PI / 2);
    return new Mesh(geometry, new MeshBasicMaterial({ color: new Color().setScalar(colour), side: BackSide }));
  };
  scene.add(shell(0, 0.5 * Math.PI, 0.85), shell(0.5 * Math.PI, 0.5 * Math.PI, 0.32));
  for (const [place, size, brightness] of LAMPS) {
    const lamp = new Mesh(new PlaneGeometry(size, size), new MeshBasicMaterial({ color: new Color().setScalar(brightness) }));
    lamp.position.copy(place);
    lamp.lookAt(0, 0, 0);
    scene.add(lamp);
  }
  const generator = new PMREMGenerator(renderer);
  // No blur beforehand: what bodies mirror is blurred by their roughness anyway, and its program is slow to make without a GPU.
  const { texture } = generator.fromScene(scene, 0, 0.1, 100, { size: 64 });
  generator.dispose();
  return texture;
}
