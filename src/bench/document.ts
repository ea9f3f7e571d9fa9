import { is, object, parse, unknown } from "valibot";
import { InputError } from "../core/errors.js";
import { describeIssue } from "../json_schemas.js";
import { type BenchDocument, benchDocument, type Header, header, row } from "./schema.js";

/**
 * Parses the output of `--json`, or a `--out` file. The latter has JSON lines: the header, then one row per
 * line. A line that a crash cut short is left out.
 *
 * @param name the file's name, for messages.
 * @throws InputError if the text is neither.
 */
export function parseDocument(text: string, name: string): BenchDocument {
  try {
    const whole = json(text);
    if (is(withRows, whole)) return parse(benchDocument, whole);
    const [first, ...lines] = text.split("\n").flatMap((line) => json(line) ?? []);
    const rows = lines.filter((line) => is(withRow, line)).map(({ row: one }) => parse(row, one));
    return { ...parse(header, first), rows, crossovers: [] };
  } catch (cause) {
    const what = `${name} is not a benchmark result that this version of gpusort can read`;
    throw new InputError(`${what}: ${describeIssue(cause)}`, {
      hint: "name a benchmark result that this version of gpusort wrote",
      cause,
    });
  }
}

const withRows = object({ rows: unknown() });
const withRow = object({ row: unknown() });

/** @returns undefined if the text is not JSON. */
function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Says why the rows of an older benchmark cannot be combined with new ones; undefined if they can. */
export function mismatch(old: Header, now: Header): string | undefined {
  const differing = (["gpusort", "commit", "node", "dawn", "cpu", "threads"] as const).find(
    (key) => old.environment[key] !== now.environment[key],
  );
  if (differing) {
    const [before, after] = [old.environment[differing], now.environment[differing]];
    return `${differing} was ${before ?? "unknown"} and is now ${after ?? "unknown"}`;
  }
  const [before, after] = [old.environment.adapter, now.environment.adapter];
  if (before?.driver !== after?.driver || before?.name !== after?.name) {
    return `the device was ${before?.name ?? "the CPU"} and is now ${after?.name ?? "the CPU"}`;
  }
  const [bound, asked] = [old.stopRule.relativeError, now.stopRule.relativeError];
  return bound === asked ? undefined : `the bound of the error was ${bound} and is now ${asked}`;
}
