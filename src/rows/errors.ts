import { type ErrorDetails, VerifyError } from "../core/errors.js";

/** A stream gets rows before their sum is compared. */
const WRONG_RESULT: ErrorDetails = {
  hint:
    "the input is untouched and no file was written, but a stream may have got wrong rows; this machine " +
    "computed a wrong result",
};

/** The error of a check that found a wrong result. */
export function sortFault(what: string): VerifyError {
  return new VerifyError(`the CPU sorted rows wrongly: ${what}`, WRONG_RESULT);
}

/** The error of rows whose sum differs after they were sorted. */
export function rowsChanged(): VerifyError {
  return new VerifyError("the CPU changed rows while it sorted them: the checksums differ", WRONG_RESULT);
}

/** What to do if a temporary file, or what was read from it, is not what it must be. */
export const CHECK_THE_DISK: ErrorDetails = {
  hint: "the input is unchanged; check the memory and the disk, or name another folder for temporary files",
  options: ["tempDir"],
};

/** The error of rows that come back from a temporary file as others. */
export function temporaryFileChanged(): VerifyError {
  return new VerifyError("a temporary file does not hold what was written to it", CHECK_THE_DISK);
}
