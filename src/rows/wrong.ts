import { VerifyError } from "../core/errors.js";

/** The error of a check that found a wrong result. */
export function sortedWrongly(what: string): VerifyError {
  return new VerifyError(`the CPU sorted rows wrongly: ${what}`, {
    hint: "the input is untouched and no output was written; this machine computed a wrong result",
  });
}
