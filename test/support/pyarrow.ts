import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { needs } from "./needs.js";
import { pythonThat } from "./python.js";

/** A Python that has pyarrow; undefined if there is none. GPUSORT_TEST_PYARROW may name one. */
const python = pythonThat("import pyarrow.parquet, numpy", [
  process.env.GPUSORT_TEST_PYARROW ?? "",
  "python3",
]);

export const withPyarrow = needs(python, "pyarrow, in Python (GPUSORT_TEST_PYARROW may name one)");

/** Runs a program with pyarrow. @returns what it prints. */
export const runPyarrow = (program: string, ...args: readonly string[]): string =>
  execFileSync(python!, ["-c", program, ...args], { encoding: "utf8" });

/** The program of tables.py, which answers questions one by one. */
export class TableOracle {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #answers: AsyncIterator<string>;
  #errors = "";

  constructor() {
    this.#child = spawn(python!, [fileURLToPath(new URL("tables.py", import.meta.url))]);
    this.#child.stderr.on("data", (text) => {
      this.#errors += text;
    });
    this.#answers = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  async ask<Answer>(question: object): Promise<Answer> {
    this.#child.stdin.write(`${JSON.stringify(question)}\n`);
    const { value, done } = await this.#answers.next();
    if (done) throw new Error(`the oracle ended: ${this.#errors}`);
    return JSON.parse(value) as Answer;
  }

  close(): void {
    this.#child.stdin.end();
  }
}
