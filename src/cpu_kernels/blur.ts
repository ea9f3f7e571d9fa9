import { readParams } from "../demo_kernels/kernels.js";
import { constant, type Dispatch } from "./cpu_kernel.js";

/** The CPU version of wgsl/demos/blur.wgsl. */
export function blur(dispatch: Dispatch): void {
  const [input, output] = dispatch.bindings.map(
    ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength),
  ) as [Uint8Array, Uint8Array];
  const { width, height } = dispatch.extents[0]!;
  const vertical = constant(dispatch, "VERTICAL") === 1;
  const { radius, weights } = readParams("blur", dispatch.params);
  const [length, lines] = vertical ? [height, width] : [width, height];
  const texel = (along: number, line: number) => (vertical ? along * width + line : line * width + along);
  for (let line = 0; line < lines; line++) {
    for (let i = 0; i < length; i++) {
      for (let channel = 0; channel < 4; channel++) {
        let sum = 0;
        for (let k = -radius; k <= radius; k++) {
          const along = Math.min(length - 1, Math.max(0, i + k));
          sum += weights[k + radius]! * input[4 * texel(along, line) + channel]!;
        }
        output[4 * texel(i, line) + channel] = Math.min(255, Math.round(sum));
      }
    }
  }
}
