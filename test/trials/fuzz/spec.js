/**
 * What a random case is, as data.
 *
 * @typedef {import("./types.js").TypeName} TypeName
 *
 * @typedef {object} Field a part of the key
 * @property {number} offset its first byte in the item
 * @property {TypeName | undefined} [type] of a number
 * @property {number | undefined} [bytes] the length of a field of bytes
 * @property {boolean | undefined} [big] whether the number is big-endian
 *
 * @typedef {object} Items
 * @property {number} itemBytes
 * @property {Field[]} fields of the key, the first one first
 * @property {Uint8Array[]} inputs the items of each input, keys in little-endian order
 * @property {string} distribution
 * @property {TypeName | undefined} [type] of items that are keys
 * @property {number | undefined} [recordBytes] of items that are records
 * @property {Field[] | undefined} [keys] of records; none if all of the record is the key
 * @property {boolean | undefined} [bigKeys]
 *
 * @typedef {object} Sort how they are sorted, by any kind of case
 * @property {string} kind
 * @property {"raw" | "records" | "npy" | "text" | undefined} [format]
 * @property {"raw" | "records" | "npy" | "text" | undefined} [to]
 * @property {boolean | undefined} [big] whether the file is big-endian
 * @property {number | undefined} [skipBytes]
 * @property {number | undefined} [npyVersion]
 * @property {number | undefined} [textSeed]
 * @property {boolean | undefined} [inPlace]
 * @property {boolean | undefined} [viaCommand]
 * @property {boolean | undefined} [inputStream]
 * @property {boolean | undefined} [outputStream]
 * @property {boolean | undefined} [descending]
 * @property {boolean | undefined} [unique]
 * @property {number | undefined} [head]
 * @property {boolean | undefined} [argsort]
 * @property {boolean | undefined} [merge]
 * @property {number | undefined} [memoryBytes]
 * @property {"auto" | "radix" | "bitonic" | undefined} [algorithm]
 * @property {boolean | "full" | undefined} [verify]
 * @property {string | undefined} [command] of a check
 * @property {"sort" | "argsort" | "sortPairs" | "unique" | undefined} [call] of an array's sorter, or of NumPy
 * @property {number | undefined} [valueWords]
 * @property {{ begin: number, end: number } | undefined} [bits]
 * @property {boolean | undefined} [counts]
 * @property {number[] | undefined} [segments] their lengths
 * @property {number | undefined} [top]
 * @property {boolean | undefined} [sorted]
 * @property {number | undefined} [msd] the index of a tuning
 * @property {0 | 4 | "index" | undefined} [payload]
 *
 * @typedef {Items & Sort} Spec
 * @typedef {Spec & { type: TypeName }} KeySpec of items that are keys
 *
 * @typedef {Awaited<ReturnType<typeof import("./worker.js").openContext>>} Context
 * @typedef {{ inputs: string[], output: string, temporary: string }} Files
 */

export {};
