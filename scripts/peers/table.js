/**
 * The results of scripts/peers.js: what docs/peers.json keeps of them, and the table of docs/library.md.
 *
 * @typedef {{ type: string, kind: string, size: number, outcome: string }} Result of one array
 * @typedef {{ type: string, kind: string, outcome: string, sizes: number[] }} Wrong arrays of these sizes
 * @typedef {{ arrays: number, sizes: number[], wrong: Wrong[] }} Condensed
 *
 * @typedef {object} NamedPeer
 * @property {string} name
 * @property {string} [version]
 * @property {string} [source]
 * @property {number} [bytes]
 * @property {string[]} [types]
 * @property {string} [adapter]
 * @property {string} [notRun] why
 * @property {string | undefined} [note]
 *
 * @typedef {NamedPeer & Partial<Condensed>} Peer
 */

/**
 * @param {T[]} values
 * @template T
 */
const unique = (values) => [...new Set(values)];

/**
 * How many arrays were sorted, and those that were not sorted rightly, with the sizes for which a type and a
 * kind of keys had the same outcome.
 *
 * @param {Result[]} results
 */
export function condensed(results) {
  /** @type {Map<string, Wrong>} */
  const wrong = new Map();
  for (const { type, kind, size, outcome } of results) {
    if (outcome === "right") continue;
    const key = JSON.stringify([type, kind, outcome]);
    const one = wrong.get(key) ?? { type, kind, outcome, sizes: [] };
    one.sizes.push(size);
    wrong.set(key, one);
  }
  const sizes = unique(results.map(({ size }) => size));
  return { arrays: results.length, sizes, wrong: [...wrong.values()] };
}

/**
 * "u32, i32 of 255, 1000, 4097 keys; f32 of all numbers of keys"
 *
 * @param {Condensed} results
 */
function whatIsWrong({ wrong, sizes }) {
  /** @type {Map<string, string[]>} */
  const typesBySizes = new Map();
  for (const type of unique(wrong.map((one) => one.type))) {
    const own = unique(wrong.filter((one) => one.type === type).flatMap((one) => one.sizes));
    const text = own.length === sizes.length ? "all numbers of" : own.sort((a, b) => a - b).join(", ");
    typesBySizes.set(text, [...(typesBySizes.get(text) ?? []), type]);
  }
  return [...typesBySizes].map(([text, types]) => `${types.join(", ")} of ${text} keys`).join("; ") || "–";
}

/** @param {Peer} peer */
function row({ name, version, source, bytes, types = [], notRun, note, arrays = 0, sizes = [], wrong = [] }) {
  const size = bytes ? (bytes / 1000).toPrecision(3).replace(/\.0+$/, "") : "";
  const from = source && source !== "npm" ? `${version} (${source})` : (version ?? "");
  if (notRun) return `| ${name} | ${from} | | not run: ${notRun} | | ${size} |`;
  const mistakes = [whatIsWrong({ arrays, sizes, wrong }), note].filter(Boolean).join("; ");
  const right = arrays - wrong.reduce((sum, one) => sum + one.sizes.length, 0);
  return `| ${name} | ${from} | ${types.join(", ")} | ${right} of ${arrays} | ${mistakes} | ${size} |`;
}

/** @param {{ date: string, browser: string, peers: Peer[] }} report */
export function peerTable({ date, browser, peers }) {
  const adapters = unique(peers.map(({ adapter }) => adapter).filter(Boolean));
  return [
    `Run on ${date} in ${browser}, on ${adapters.join(", ")}.`,
    "",
    "| library | version | types | arrays right | wrong | kB, minified and gzipped |",
    "| --- | --- | --- | --- | --- | ---: |",
    ...peers.map(row),
    "",
  ].join("\n");
}
