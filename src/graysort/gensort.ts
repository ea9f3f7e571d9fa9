import { newMemory, tablesAt } from "../core/cpu/memory.js";
import { instantiate, type Kernels } from "../core/cpu/program.js";
import { CRC_TABLES_BYTES, crcTables, type GraysortKernel, graysortKernels } from "./kernels.js";
import { type GensortName, graysortRecord } from "./record.js";

export interface GensortOptions {
  readonly kind: GensortName;
  /** Whether many keys begin with the same bits (gensort -s). */
  readonly skewed: boolean;
  /** The most records of a piece. */
  readonly pieceRecords: number;
}

// Where things are in the memory of the kernels.
const START_AT = tablesAt(1);
const MASKS_AT = START_AT + 64;
const PREFIXES_AT = MASKS_AT + 192;
const SUM_AT = PREFIXES_AT + 512;
const CRC_TABLES_AT = SUM_AT + 64;
const PIECES_AT = CRC_TABLES_AT + CRC_TABLES_BYTES;
const SCRATCH_AT = tablesAt(0);

/** More bits than the number of a record has. */
const NUMBER_BITS = 54;
/** The most bytes that the keys of some records share. */
const PREFIX_BYTES = 6;

/**
 * Makes the records that gensort 1.5 by C. Nyberg makes, the generator of the sort benchmark, with the same
 * bytes. Any of them can be made without those before it.
 */
export class Gensort {
  readonly #kernels: Kernels<GraysortKernel>;
  readonly #memory: DataView;
  readonly #kind: GensortName;
  #prefixesAt = 0;
  /** Memory to make records in. */
  readonly pieces: readonly [Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>];

  constructor({ kind, skewed, pieceRecords }: GensortOptions) {
    const stride = Math.ceil((Math.max(pieceRecords, NUMBER_BITS) * graysortRecord.bytes) / 64) * 64;
    const memory = newMemory(PIECES_AT + 2 * stride, false);
    const buffer = memory.buffer as ArrayBuffer;
    this.#kernels = instantiate(graysortKernels.module(false), memory);
    this.#memory = new DataView(buffer);
    this.#kind = kind;
    new Uint8Array(buffer, MASKS_AT).set(masks());
    new Uint32Array(buffer, CRC_TABLES_AT).set(crcTables());
    if (skewed) this.#prefixesAt = this.#makePrefixes();
    const bytes = pieceRecords * graysortRecord.bytes;
    this.pieces = [
      new Uint8Array(buffer, PIECES_AT, bytes),
      new Uint8Array(buffer, PIECES_AT + stride, bytes),
    ];
  }

  /** Fills the begin of a piece with records. @param first the number of the first of them, below 2^53. */
  fill(records: Uint8Array, first: number): void {
    const count = records.length / graysortRecord.bytes;
    const random = randomNumberOf(first);
    this.#memory.setBigUint64(START_AT, BigInt.asUintN(64, random), true);
    this.#memory.setBigUint64(START_AT + 8, random >> 64n, true);
    this.#memory.setBigUint64(START_AT + 16, BigInt(first), true);
    const { byteOffset: to } = records;
    if (this.#kind === "gensort") {
      this.#kernels.binary(to, count, START_AT, MASKS_AT, this.#prefixesAt, SCRATCH_AT);
    } else this.#kernels.ascii(to, count, START_AT, this.#prefixesAt, SCRATCH_AT);
  }

  /** The sum of the CRC-32s of the records in a piece, for gensort -c. */
  crcSum(records: Uint8Array): bigint {
    this.#memory.setBigUint64(SUM_AT, 0n);
    const count = records.length / graysortRecord.bytes;
    this.#kernels.sum_crcs(records.byteOffset, count, CRC_TABLES_AT, SUM_AT);
    return this.#memory.getBigUint64(SUM_AT, true);
  }

  /**
   * Computes what skewed keys begin with: with the first bytes of the key of another record, the number of
   * which is the number of bits of their own record's number.
   *
   * @returns the address of these beginnings: words with the first byte on top, or text.
   */
  #makePrefixes(): number {
    const { buffer } = this.#memory;
    const records = new Uint8Array(buffer, PIECES_AT, NUMBER_BITS * graysortRecord.bytes);
    this.fill(records, 0);
    for (let i = 0; i < NUMBER_BITS; i++) {
      const prefix = records.slice(i * graysortRecord.bytes).subarray(0, PREFIX_BYTES);
      if (this.#kind === "gensort") prefix.reverse();
      const at = PREFIXES_AT + i * 8 + (this.#kind === "gensort" ? 8 - PREFIX_BYTES : 0);
      new Uint8Array(buffer).set(prefix, at);
    }
    return PREFIXES_AT;
  }
}

/** The last two parts of a record have masks of their own. */
const LAST_MASKS = ["c8c4c2c198949291" + "8ce0", "170f332e2d2b271e" + "1d1b"];

/**
 * The bytes that the parts of a binary record are XORed with: the key with zeros, and the seven parts after it
 * with all 70 bytes of which four bits are set, from the greatest on.
 */
function masks(): Uint8Array {
  const four = Array.from({ length: 256 }, (_, i) => 255 - i).filter(
    (byte) => byte.toString(2).replaceAll("0", "").length === 4,
  );
  const bytes = [...Array(10).fill(0), ...four, ...Buffer.from(LAST_MASKS.join(""), "hex")];
  const padded = new Uint8Array(10 * 16);
  for (let part = 0; part < 10; part++) padded.set(bytes.slice(part * 10, part * 10 + 10), part * 16);
  return padded;
}

/** The multiplier and the increment of the generator of assembly/graysort/generator.ts. */
const MULTIPLIER = 0x2360ed051fc65da44385df649fccf645n;
const INCREMENT = 0x4a696d47726179524950202020202001n;

const modulo = (value: bigint) => BigInt.asUintN(128, value);

/** The random number that the key of a record is made of. @param record its number, from 0. */
function randomNumberOf(record: number): bigint {
  let random = 0n;
  // A step over 2^i numbers is a multiplication and an addition, too: those of a step over 2^(i-1), twice.
  let [a, c] = [MULTIPLIER, INCREMENT];
  for (let steps = BigInt(record) + 1n; steps > 0n; steps >>= 1n) {
    if (steps & 1n) random = modulo(a * random + c);
    [a, c] = [modulo(a * a), modulo(a * c + c)];
  }
  return random;
}
