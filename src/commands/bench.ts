import {
  arrayContender,
  gpuRoundTripContender,
  gpuSortContender,
  typedArrayContender,
} from "../bench/contender.js";
import { type BenchRow, runBench } from "../bench/run.js";
import { parseSize, sizesBetween } from "../bench/sizes.js";
import { elementType } from "../elements.js";
import { openEngine } from "../engines/open.js";
import { InputError } from "../errors.js";
import { BenchTable, verdict } from "../report/bench.js";
import { algorithm } from "../sort/algorithms.js";
import { StatusLine } from "./status_line.js";

export interface BenchOptions {
  readonly min: string;
  readonly max: string;
  readonly type: string;
  readonly algorithm: string;
  readonly device: string;
  readonly runs: string;
  readonly budget: string;
  readonly json: boolean;
}

/** `gpusort bench`: the seed's table for this machine, a row as soon as it is measured. */
export async function bench(options: BenchOptions): Promise<void> {
  const sizes = sizesBetween(parseSize(options.min, "--min"), parseSize(options.max, "--max"));
  const type = elementType(options.type);
  const runs = positive(options.runs, "--runs", "whole number");
  const budgetSeconds = positive(options.budget, "--budget", "number");
  const chosen = algorithm(options.algorithm).name;

  const { engine, notice } = await openEngine(options.device);
  if (notice) process.stderr.write(`gpusort: ${notice}\n`);
  const clock = engine.gpuClock ?? "wall clock";
  const table = new BenchTable(clock);
  const status = new StatusLine(process.stderr);
  const print = (text: string) => {
    status.clear();
    if (!options.json) process.stdout.write(text);
  };

  const gpu = engine.gpuClock
    ? `${chosen} on ${engine.device}; GPU sort timed by ${clock}`
    : "no GPU adapter";
  print(`${type.name} keys, uniformly random; ${gpu}\n`);
  print(
    `medians of up to ${runs} runs after 1 s to warm up, ${budgetSeconds} s a cell; every result checked\n`,
  );
  print(table.head());
  const rows: BenchRow[] = [];
  for await (const row of runBench({
    type,
    sizes,
    contenders: [
      arrayContender(type),
      typedArrayContender(),
      gpuSortContender(engine, type, chosen),
      gpuRoundTripContender(engine, type, chosen),
    ],
    runs,
    budgetSeconds,
    progress: (text) => status.show(text),
  })) {
    rows.push(row);
    print(table.row(row));
  }
  print(table.foot());
  if (engine.gpuClock) print(verdict(rows, engine.device));
  if (options.json) {
    const settings = {
      type: type.name,
      device: engine.device,
      algorithm: chosen,
      gpuClock: clock,
      runs,
      budgetSeconds,
    };
    process.stdout.write(`${JSON.stringify({ ...settings, rows }, null, 2)}\n`);
  }
}

function positive(text: string, option: string, kind: "number" | "whole number"): number {
  const value = Number(text);
  if (value > 0 && Number.isFinite(value) && (kind === "number" || Number.isInteger(value))) return value;
  throw new InputError(`${option} '${text}' is no positive ${kind}`, { hint: `write it like ${option} 5` });
}
