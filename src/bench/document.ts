import { InputError } from "../errors.js";
import type { Comparison } from "./compare.js";
import type { Crossover } from "./crossover.js";
import type { StopRule } from "./measure.js";
import type { BenchRow } from "./row.js";

/** The name of the format, whose fields docs/bench.schema.json describes. */
export const SCHEMA = "gpusort-bench/1";

/** All that is known of where and how a benchmark ran. */
export interface Environment {
  readonly gpusort: string;
  /** Of the source that this build is from, with "-dirty" where it was changed since; null in an installed package. */
  readonly commit: string | null;
  readonly node: string;
  readonly v8: string;
  /** The version of the npm package webgpu, which is Dawn. */
  readonly dawn: string;
  readonly toggles: readonly string[];
  readonly os: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryBytes: number;
  /** Null on the CPU alone. */
  readonly adapter: AdapterEnvironment | null;
}

export interface AdapterEnvironment {
  readonly name: string;
  readonly driver: string;
  readonly vendor: string;
  readonly architecture: string;
  readonly software: boolean;
  readonly subgroupSize: { readonly min: number; readonly max: number };
  readonly gpuClock: string;
}

/** What comes before the rows; in a `--out` file, its first line. */
export interface Header {
  readonly schema: typeof SCHEMA;
  readonly startedAt: string;
  readonly environment: Environment;
  readonly stopRule: StopRule;
}

/** What `--json` prints. */
export interface BenchDocument extends Header {
  readonly rows: readonly BenchRow[];
  readonly crossovers: readonly Crossover[];
  readonly comparison?: Comparison;
}

/**
 * Reads what `--json` printed, or a `--out` file: JSON lines, the header and then a row each.
 *
 * @param name the file's, for messages.
 * @throws InputError if it is neither.
 */
export function parseDocument(text: string, name: string): BenchDocument {
  try {
    const whole = JSON.parse(text) as BenchDocument;
    if (Array.isArray(whole.rows)) return checked(whole, name);
  } catch {
    // Not one JSON text; lines of it, then.
  }
  const [header, ...lines] = parseLines(text);
  const rows = lines.flatMap((line) => ("row" in line ? [line.row as BenchRow] : []));
  return checked({ ...(header as unknown as Header), rows, crossovers: [] }, name);
}

/** The whole lines of a `--out` file that are JSON; one that a crash cut short is none. */
function parseLines(text: string): Record<string, unknown>[] {
  return text.split("\n").flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line);
      return value !== null && typeof value === "object" ? [value as Record<string, unknown>] : [];
    } catch {
      return [];
    }
  });
}

function checked(document: BenchDocument, name: string): BenchDocument {
  if (document.schema === SCHEMA) return document;
  throw new InputError(`'${name}' holds no benchmark that this gpusort can read`, {
    hint: "name a file that `gpusort bench --json` printed or that `gpusort bench --out` wrote",
  });
}

/** Why rows that were measured before cannot stand beside new ones; undefined where they can. */
export function mismatch(old: Header, now: Header): string | undefined {
  const differing = (["gpusort", "commit", "node", "dawn", "cpu"] as const).find(
    (key) => old.environment[key] !== now.environment[key],
  );
  if (differing) return `${differing} was ${old.environment[differing]} and is ${now.environment[differing]}`;
  const [before, after] = [old.environment.adapter, now.environment.adapter];
  if (before?.driver !== after?.driver || before?.name !== after?.name) {
    return `the device was ${before?.name ?? "the CPU"} and is ${after?.name ?? "the CPU"}`;
  }
  if (JSON.stringify(old.stopRule) !== JSON.stringify(now.stopRule)) return "the stop rule was another";
  return undefined;
}
