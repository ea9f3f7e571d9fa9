import { GpusortError } from "../core/errors.js";

/**
 * What another task of a job should have written is missing, or is not what its receipt says. The job goes on
 * when that task has run again.
 */
export class UnfinishedError extends GpusortError {
  override readonly name = "UnfinishedError";
}
