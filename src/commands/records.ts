import { InputError } from "../core/errors.js";
import { nameHint, nearestName } from "../core/names.js";
import { gensortNames } from "../graysort/record.js";
import { type CountRange, parseCount } from "./numbers.js";

/** The values of `--records` by command: programs of the sort benchmark, which make or check its records. */
export const recordsNames = { gen: gensortNames, verify: ["valsort"] } as const;

const ofSortBenchmark = /^(gen|val|gray|tera)sort/i;

/** Reads the value of `--records`. @throws InputError if the command has no such records. */
export function parseRecords<Name extends string>(text: string, names: readonly Name[]): Name {
  if ((names as readonly string[]).includes(text)) return text as Name;
  if (/^\d/.test(text)) {
    throw new InputError(`--records '${text}' is a number`, {
      hint: `for records of so many bytes, write --record ${text}; --records takes a name, such as ${names[0]}`,
    });
  }
  const nearest = nearestName(text, names) ?? (ofSortBenchmark.test(text) ? names[0] : undefined);
  throw new InputError(`--records '${text}' is unknown`, { hint: nameHint(text, names, nearest) });
}

/** Reads the value of `--record`. @throws InputError unless it is a whole number in the range. */
export function parseRecordBytes(text: string, range?: CountRange): number {
  if (!ofSortBenchmark.test(text)) return parseCount(text, "--record", range);
  throw new InputError(`--record '${text}' is not a number of bytes`, {
    hint: [
      "records of the sort benchmark have 100 bytes: write --record 100;",
      "gpusort gen --records gensort makes them, and gpusort verify --records valsort checks them",
    ].join(" "),
  });
}
