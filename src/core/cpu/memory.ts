const PAGE_BYTES = 65536;

/** The most memory that WebAssembly has with addresses of 32 bits. */
export const MAX_MEMORY_BYTES = 65536 * PAGE_BYTES;

/** Bytes of a thread's tables of 8 KiB: 3 for digits from the bottom, at most 9 for digits from the top. */
export const TABLES_BYTES = 16 * 8192;

/** The address of the first thread's tables. No kernel uses the bytes below it. */
const TABLES_AT = 1024;

/** The address of a thread's tables. */
export const tablesAt = (thread: number): number => TABLES_AT + thread * TABLES_BYTES;

/**
 * @param most the most bytes to which it may grow.
 * @throws RangeError if there is not as much memory.
 */
export function newMemory(bytes: number, shared: boolean, most = bytes): WebAssembly.Memory {
  const [initial, maximum] = [bytes, most].map((size) => Math.ceil(size / PAGE_BYTES));
  return new WebAssembly.Memory({ initial: initial!, maximum: maximum!, shared });
}

/**
 * Makes a memory that threads share. It may grow, unless the system reserves no addresses for that: some
 * phones reserve less than 4 GiB.
 *
 * @throws RangeError if there is not as much memory.
 */
export function newSharedMemory(bytes: number): WebAssembly.Memory {
  try {
    return newMemory(bytes, true, MAX_MEMORY_BYTES);
  } catch {
    return newMemory(bytes, true);
  }
}

/** The most memory pressure that one memory adds: enough for a collection. */
const MOST_PRESSURE_BYTES = 2 ** 28;

/**
 * Tells the collector of a shared memory that becomes garbage. V8 counts other buffers only, so it would see no
 * reason to look for garbage while a process drops one such memory after the other. A buffer of as many bytes,
 * which nobody touches, takes no memory of the system.
 */
export function addMemoryPressure({ buffer }: WebAssembly.Memory): void {
  try {
    void new ArrayBuffer(Math.min(buffer.byteLength, MOST_PRESSURE_BYTES));
  } catch {
    // Without as much memory, the collector is at work already.
  }
}

/** Lets a memory grow to at least `bytes`. @returns whether it has them. */
export function growMemory(memory: WebAssembly.Memory, bytes: number): boolean {
  const missing = bytes - memory.buffer.byteLength;
  try {
    if (missing > 0) memory.grow(Math.ceil(missing / PAGE_BYTES));
    return true;
  } catch {
    return false;
  }
}
