import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { randomNumbers } from "./random.js";

const bin = fileURLToPath(new URL("../../bin/gpusort.js", import.meta.url));

/** A sort that takes longer than this hangs, and is ended by SIGABRT. */
const TIME_LIMIT_MS = 180_000;

/** @typedef {{ code: number | null, signal: NodeJS.Signals | null, stdout: string, stderr: string }} Ended */

/** A file that is sorted again and again in a folder of its own, by processes that are killed. */
export class Victim {
  /**
   * @param {string} folder
   * @param {object} sort
   * @param {string} sort.device
   * @param {boolean} sort.inPlace
   * @param {string | undefined} sort.memory what -S gets; undefined for a sort in core.
   * @param {number} sort.keyCount
   * @param {number} sort.seed
   */
  constructor(folder, { device, inPlace, memory, keyCount, seed }) {
    this.name = [device, inPlace ? "in place" : "to another file", memory ? "out of core" : "in core"].join(
      ", ",
    );
    this.folder = folder;
    this.output = inPlace ? "keys.u32" : "out.u32";
    const random = randomNumbers(seed);
    const keys = Uint32Array.from({ length: keyCount }, () => random.u32());
    this.input = Buffer.from(keys.slice().buffer);
    this.sorted = Buffer.from(keys.sort((a, b) => a - b).buffer);
    this.old = inPlace ? this.input : Buffer.from("the old output");
    const limit = memory ? ["-S", memory, "-T", join(folder, "temp")] : [];
    this.args = ["keys.u32", "-o", this.output, "--device", device, "--json", "-q", ...limit];
    mkdirSync(join(folder, "temp"), { recursive: true });
  }

  /** The files as they are before a sort; what a killed process left stays there. */
  restore() {
    writeFileSync(join(this.folder, "keys.u32"), this.input);
    if (this.output !== "keys.u32") writeFileSync(join(this.folder, this.output), this.old);
  }

  /** Starts a sort. `changed` is called whenever its hidden output has been written to. */
  start(changed = () => {}) {
    const before = new Set(this.hidden());
    const watcher = watch(this.folder, (event, name) => {
      if (event === "change" && name?.endsWith(".gpusort") && !before.has(name)) changed();
    });
    const child = spawn(process.execPath, [bin, ...this.args], { cwd: this.folder });
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (data) => {
      stdout += data;
    });
    child.stderr.on("data", (data) => {
      stderr += data;
    });
    const timeLimit = setTimeout(() => child.kill("SIGABRT"), TIME_LIMIT_MS);
    /** @type {Promise<Ended>} */
    const ended = new Promise((resolve) => {
      child.on("close", (code, signal) => {
        clearTimeout(timeLimit);
        watcher.close();
        resolve({ code, signal, stdout, stderr });
      });
    });
    return { child, ended };
  }

  /** Sorts without a kill. Returns how long it took, and how often its hidden output changed. */
  async complete() {
    this.restore();
    const begin = performance.now();
    let changes = 0;
    const { code, stdout, stderr } = await this.start(() => changes++).ended;
    if (code !== 0) throw new Error(`${this.name}: a run that is not killed fails: ${stderr}`);
    const state = this.state();
    if (state.output !== "new")
      throw new Error(`${this.name}: the output is ${state.output} after a whole run`);
    if (state.hidden.length > 0) throw new Error(`${this.name}: a whole run leaves ${state.hidden}`);
    const summary = JSON.parse(stdout);
    if (this.args.includes("-S") && !summary.external) throw new Error(`${this.name}: it ran in core`);
    /** @type {{ name: string, ms: number }[]} */
    const phases = summary.phases;
    const publishMs = phases.find(({ name }) => name === "publish")?.ms ?? 0;
    return { changes, publishMs, totalMs: performance.now() - begin };
  }

  hidden() {
    return readdirSync(this.folder).filter((name) => name.endsWith(".gpusort"));
  }

  /**
   * What is in the folder: the output is old, new or torn; a hidden file that is not in `before` is whole.
   *
   * @param {string[]} before
   */
  state(before = []) {
    /**
     * @param {string} name
     * @param {Buffer} bytes
     */
    const is = (name, bytes) => readFileSync(join(this.folder, name)).equals(bytes);
    const output = is(this.output, this.old) ? "old" : is(this.output, this.sorted) ? "new" : "torn";
    const hidden = this.hidden();
    return {
      output,
      hidden,
      isWhole: hidden.some((name) => !before.includes(name) && is(name, this.sorted)),
      temporary: readdirSync(join(this.folder, "temp")),
      inputIsIntact: this.output === "keys.u32" || is("keys.u32", this.input),
    };
  }

  remove() {
    rmSync(this.folder, { recursive: true });
  }
}
