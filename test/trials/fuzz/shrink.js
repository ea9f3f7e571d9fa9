/** @typedef {import("./spec.js").Spec} Spec */

/**
 * Makes a failing case smaller: fewer inputs, then fewer items, as long as it still fails.
 *
 * @param {Spec} spec
 * @param {(spec: Spec) => Promise<boolean>} fails whether a case fails.
 */
export async function shrink(spec, fails, attempts = 80) {
  let best = spec;
  for (let left = attempts; left > 0; ) {
    let smaller;
    for (const candidate of candidates(best)) {
      if (left-- <= 0) break;
      if (await fails(candidate)) {
        smaller = candidate;
        break;
      }
    }
    if (!smaller) break;
    best = smaller;
  }
  return best;
}

/**
 * Smaller cases: without one input, then without a half, a quarter, an eighth … of an input's items.
 *
 * @param {Spec} spec
 * @returns {Generator<Spec>}
 */
function* candidates(spec) {
  const { inputs, itemBytes } = spec;
  /** @param {Uint8Array[]} changed */
  const having = (changed) => ({ ...spec, inputs: changed });
  if (inputs.length > 1) for (const i of inputs.keys()) yield having(inputs.toSpliced(i, 1));
  for (const [i, bytes] of inputs.entries()) {
    const count = bytes.length / itemBytes;
    for (let part = Math.ceil(count / 2); part >= 1; part = part === 1 ? 0 : Math.ceil(part / 2)) {
      if (count / part > 16) break;
      for (let at = 0; at < count; at += part) {
        const rest = [bytes.subarray(0, at * itemBytes), bytes.subarray((at + part) * itemBytes)];
        yield having(inputs.with(i, new Uint8Array(Buffer.concat(rest))));
      }
    }
  }
}
