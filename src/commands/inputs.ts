import { InputError } from "../core/errors.js";
import { ownDescriptor } from "../files/descriptor.js";
import { openStandardInput } from "../files/input.js";
import type { SortInput } from "../sort/inputs.js";

/** The inputs that the command line names: paths, and "-" for standard input. */
export async function inputsOf(paths: readonly string[]): Promise<SortInput[]> {
  const seen = new Set<number>();
  for (const path of paths) {
    const descriptor = path === "-" ? 0 : await ownDescriptor(path);
    if (descriptor === undefined) continue;
    if (seen.has(descriptor)) {
      const name = descriptor === 0 ? "standard input" : path;
      throw new InputError(`${name} is named twice`, { hint: "name it only once" });
    }
    seen.add(descriptor);
  }
  return Promise.all(paths.map((path) => (path === "-" ? openStandardInput() : path)));
}
