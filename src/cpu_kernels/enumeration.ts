import type { Dispatch } from "./cpu_kernel.js";

/** The CPU version of wgsl/enumeration.wgsl. */
export function enumeration({ bindings }: Dispatch): void {
  const [keys, order] = bindings as [Uint32Array, Uint32Array];
  const count = keys[0]!;
  const [low, high] = [(i: number) => keys[2 * i + 2]!, (i: number) => keys[2 * i + 3]!];
  for (let own = 0; own < count; own++) {
    let place = 0;
    for (let i = 0; i < count; i++) {
      const difference = high(i) - high(own) || low(i) - low(own) || i - own;
      if (difference < 0) place++;
    }
    order[place] = own;
  }
}
