import { KernelProgram } from "../core/cpu/program.js";
import { binary, kernelNames, memoryFlagsAt } from "./kernels.generated.js";

/** The kernels of assembly/graysort/. */
export type GraysortKernel = (typeof kernelNames)[number];

export const graysortKernels = new KernelProgram(kernelNames, binary, memoryFlagsAt);

/** The polynomial of zlib's CRC-32, its bits reversed. */
const POLYNOMIAL = 0xedb88320;

const TABLES = 16;

/** Bytes of the tables. */
export const CRC_TABLES_BYTES = TABLES * 256 * 4;

/** Computes the tables of assembly/graysort/crc32.ts. */
export function crcTables(): Uint32Array {
  const tables = new Uint32Array(TABLES * 256);
  for (let i = 0; i < tables.length; i++) {
    let crc = i < 256 ? i : tables[i - 256]!;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? POLYNOMIAL : 0);
    tables[i] = crc;
  }
  return tables;
}
