import type { Pass, Plan } from "../core/plan/plan.js";
import { cooperativeWorkgroupSize, type DeviceTraits } from "../core/plan/traits.js";
import { params, program } from "../demo_kernels/kernels.js";

export const MAX_RADIUS = 5;

/** Pixels that a workgroup blurs: the book's number. */
const LINE = 256;

/**
 * The weights of a Gaussian with a standard deviation of `sigma` pixels, cut off at ceil(2 sigma) pixels and
 * scaled so that their sum is 1. The book's name for this function is CalcGaussWeights.
 */
export function gaussWeights(sigma: number): number[] {
  const radius = Math.ceil(2 * sigma);
  const weights = Array.from({ length: 2 * radius + 1 }, (_, i) =>
    Math.exp(-((i - radius) ** 2) / (2 * sigma * sigma)),
  );
  const sum = weights.reduce((all, weight) => all + weight, 0);
  return weights.map((weight) => weight / sum);
}

/**
 * A plan that blurs the texture "a" `count` times, by way of the texture "b".
 *
 * @param weights of a pixel's neighbours on both sides and of itself, at most 2 MAX_RADIUS + 1.
 */
export function blurPlan(
  { width, height }: { readonly width: number; readonly height: number },
  weights: readonly number[],
  count: number,
  traits: DeviceTraits,
): Plan {
  const texture = { width, height, format: "rgba8unorm" } as const;
  const once = [
    pass(false, ["a", "b"], [width, height], weights, traits),
    pass(true, ["b", "a"], [height, width], weights, traits),
  ];
  return {
    buffers: {},
    textures: { a: texture, b: texture },
    passes: Array.from({ length: count }, () => once).flat(),
    result: "a",
  };
}

/** One pass over `lines` rows or columns of `length` pixels each. */
function pass(
  vertical: boolean,
  bindings: readonly string[],
  [length, lines]: readonly [number, number],
  weights: readonly number[],
  traits: DeviceTraits,
): Pass {
  const WORKGROUP_SIZE = cooperativeWorkgroupSize(LINE, traits);
  return {
    program: program("blur", { constants: { LINE, WORKGROUP_SIZE, VERTICAL: vertical ? 1 : 0 } }),
    bindings,
    params: params("blur", { radius: (weights.length - 1) / 2, weights }),
    grid: [Math.ceil(length / LINE), lines, 1],
  };
}
