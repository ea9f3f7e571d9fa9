/** node examples/sort-file.js INPUT OUTPUT: sorts a file of any size, with progress on standard error. */
import { GpusortError, sortFile } from "gpusort";

const [input, output] = process.argv.slice(2);
if (output === undefined) {
  console.error("usage: node examples/sort-file.js INPUT OUTPUT");
  process.exit(2);
}

const percent = ({ doneBytes, totalBytes }) => (totalBytes ? Math.floor((100 * doneBytes) / totalBytes) : 0);
let shown = -1;

try {
  const summary = await sortFile(input, output, {
    memoryBytes: 2 ** 30, // files larger than that are sorted out of core
    replace: true,
    onDecision: ({ device, strategy }) => console.error(`${strategy.kind} on ${device}`),
    onProgress: (state) => {
      if (percent(state) === shown) return;
      shown = percent(state);
      process.stderr.write(`\r${shown}% `);
    },
  });
  process.stderr.write("\n");
  console.log(`${summary.keyCount} ${summary.type} keys, verified: ${summary.verified}`);
} catch (error) {
  // gpusort's own errors have a message and, as a rule, a hint. Anything else is a bug.
  if (!(error instanceof GpusortError)) throw error;
  console.error(`\n${error.message}\n${error.hint ?? ""}`);
  process.exitCode = 1;
}
