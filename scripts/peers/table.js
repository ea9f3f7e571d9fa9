/** The results of scripts/peers.js as a table of docs/library.md. */

const unique = (values) => [...new Set(values)];

/** "u32, i32 of 255, 1000, 4097 keys; f32 of all numbers of keys" */
function whatIsWrong(results) {
  const wrong = results.filter(({ outcome }) => outcome !== "right");
  const all = unique(results.map(({ size }) => size)).length;
  const typesBySizes = new Map();
  for (const type of unique(wrong.map((one) => one.type))) {
    const sizes = unique(wrong.filter((one) => one.type === type).map(({ size }) => size));
    const text = sizes.length === all ? "all numbers of" : sizes.sort((a, b) => a - b).join(", ");
    typesBySizes.set(text, [...(typesBySizes.get(text) ?? []), type]);
  }
  return [...typesBySizes].map(([sizes, types]) => `${types.join(", ")} of ${sizes} keys`).join("; ") || "–";
}

function row({ name, version, source, bytes, types, results, notRun, note }) {
  const size = bytes ? (bytes / 1000).toPrecision(3).replace(/\.0+$/, "") : "";
  const from = source && source !== "npm" ? `${version} (${source})` : (version ?? "");
  if (notRun) return `| ${name} | ${from} | | not run: ${notRun} | | ${size} |`;
  const wrong = [whatIsWrong(results), note].filter(Boolean).join("; ");
  const right = results.filter(({ outcome }) => outcome === "right").length;
  return `| ${name} | ${from} | ${types.join(", ")} | ${right} of ${results.length} | ${wrong} | ${size} |`;
}

export function peerTable({ date, browser, peers }) {
  const adapters = [...new Set(peers.map(({ adapter }) => adapter).filter(Boolean))];
  return [
    `Run on ${date} in ${browser}, on ${adapters.join(", ")}.`,
    "",
    "| library | version | types | arrays right | wrong | kB, minified and gzipped |",
    "| --- | --- | --- | --- | --- | ---: |",
    ...peers.map(row),
    "",
  ].join("\n");
}
