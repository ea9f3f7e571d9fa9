import { InputError } from "../core/errors.js";
import { nameHint } from "../core/names.js";
import { barrier } from "./barrier.js";
import { blur } from "./blur.js";
import type { Demo } from "./demo.js";
import { grid } from "./grid.js";
import { network } from "./network.js";
import { occupancy } from "./occupancy.js";
import { particles } from "./particles.js";
import { textureAdd } from "./texture_add.js";
import { threads } from "./threads.js";
import { transpose } from "./transpose.js";
import { vecadd } from "./vecadd.js";
import { waves } from "./waves.js";

/** All demos, in a good order for learning. */
export const demos: readonly Demo[] = [
  threads,
  grid,
  vecadd,
  textureAdd,
  barrier,
  transpose,
  blur,
  waves,
  particles,
  network,
  occupancy,
];

/** @throws InputError if there is no demo of that name; the hint lists all demos. */
export function demoNamed(name: string): Demo {
  const demo = demos.find((demo) => demo.name === name);
  if (demo) return demo;
  throw new InputError(`there is no demo '${name}'`, {
    hint: nameHint(
      name,
      demos.map((demo) => demo.name),
    ),
  });
}
