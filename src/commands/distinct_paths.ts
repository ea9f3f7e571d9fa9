import { InputError, type OptionName } from "../core/errors.js";
import { isSameFile } from "../files/same_file.js";

/**
 * Refuses a file to write that also has another part in the command, because that would overwrite it.
 *
 * @param option the option that names the file.
 * @param others paths by what they are, such as "the input"; "-" is a standard stream.
 */
export async function requireDistinct(
  path: string,
  option: OptionName,
  others: readonly (readonly [what: string, path: string | undefined])[],
): Promise<void> {
  for (const [what, other] of others) {
    if (other === undefined || !(await isSameFile(path, other))) continue;
    throw new InputError(`${path} is also ${what}, which would be overwritten`, {
      hint: "name another file",
      options: [option],
    });
  }
}
