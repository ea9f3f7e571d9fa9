import { BaseSequencer, type TestSpecification } from "vitest/node";
import { replacesModules } from "./replaces_modules.js";

/**
 * The slowest files of each group, the first to start first. Vitest knows how long files take only from earlier
 * runs, and a clean clone has none: then a long file may start last, and run alone to its end.
 */
export const slowest = [
  "core/shaders/kernels",
  "core/sort/radix",
  "examples_cluster",
  "trials/faults",
  "adapter/radix",
  "package/package",
  "trials/random_sorts",
  "browser/matrix",
  "browser/demo_page",
  "adapter/segments",
  "adapter/conformance",
  "adapter/engine",
  "adapter/top",
  "adapter/msd",
  "adapter/fallback",
  "adapter/top_segments",
  "adapter/select",
  "browser/core",
].map((name) => `/test/${name}.test.ts`);

/**
 * The place of a file among the slowest; all others come after them. Files that replace modules come first: the
 * file after one of these loads all modules anew, too.
 */
function placeOf({ moduleId, project }: TestSpecification): number {
  if (!project.config.isolate && replacesModules(moduleId)) return -1;
  const place = slowest.findIndex((name) => moduleId.endsWith(name));
  return place < 0 ? slowest.length : place;
}

/** Starts those files first, group by group, and the others in Vitest's order. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const groupOf = ({ project }: TestSpecification) => project.config.sequence.groupOrder;
    const places = new Map(files.map((file) => [file, placeOf(file)]));
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => groupOf(a) - groupOf(b) || places.get(a)! - places.get(b)!);
  }
}
