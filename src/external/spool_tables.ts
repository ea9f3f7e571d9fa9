import { spoolInput } from "../files/spooled_input.js";
import { createTemporary } from "../files/temporary.js";
import type { TableFile } from "../tables/open_tables.js";

/**
 * Copies inputs that are pipes to temporary files, if their format is read in any order.
 *
 * @param folder the folder for temporary files.
 * @throws InputError if an input cannot be read, or if the disk is full. All inputs stay open.
 */
export async function spoolTables(files: TableFile[], folder: string): Promise<void> {
  for (const [i, { file, format }] of files.entries()) {
    if (!format.randomAccess || (file.read && file.byteLength !== undefined)) continue;
    const temporary = await createTemporary(folder, file.byteLength);
    try {
      files[i] = { file: await spoolInput(file, temporary), format };
    } catch (error) {
      await temporary.close();
      throw error;
    }
  }
}
