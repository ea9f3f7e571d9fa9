import { InputError } from "../errors.js";
import type { Demo } from "./demo.js";
import { transpose } from "./transpose.js";
import { vecadd } from "./vecadd.js";

export const demos: readonly Demo[] = [vecadd, transpose];

/** @throws InputError if there is no demo of that name; the hint lists those that there are. */
export function demoNamed(name: string): Demo {
  const found = demos.find((demo) => demo.name === name);
  if (found) return found;
  throw new InputError(`there is no demo '${name}'`, {
    hint: `there is ${demos.map((demo) => demo.name).join(", ")}`,
  });
}
