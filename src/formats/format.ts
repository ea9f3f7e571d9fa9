import type { ElementType } from "../elements.js";
import type { KeySink, KeySource } from "../engines/engine.js";

/** Bytes to read, of a file or a pipe. */
export interface ByteInput {
  /** For messages: the path, or "standard input". */
  readonly name: string;
  /** Undefined where only the end tells, as of a pipe. */
  readonly byteLength: number | undefined;
  /** The first `count` bytes, or all if there are fewer; they are still to be read. */
  peek(count: number): Promise<Uint8Array>;
  /** Fills `into` from a place, several calls at a time. Absent where bytes come in their order only. */
  read?(into: Uint8Array, offset: number): Promise<void>;
  /** Fills `into` with the bytes that follow. @returns how many there were: fewer than asked for at the end only. */
  next(into: Uint8Array): Promise<number>;
}

/** Where bytes go. */
export interface ByteOutput {
  readonly name: string;
  /** Whether bytes may be written at any offset; if not, they are to be written in order, each once. */
  readonly seekable: boolean;
  write(from: Uint8Array, offset: number): Promise<void>;
}

export type ByteOrder = "little" | "big";

/** A part of a record that decides its place: bytes compared as unsigned numbers, first to last, or a typed key. */
export type RecordKey =
  | { readonly offset: number; readonly bytes: number }
  | { readonly offset: number; readonly type: ElementType };

export interface KeyItem {
  readonly kind: "key";
  readonly bytes: number;
  readonly type: ElementType;
}

export interface RecordItem {
  readonly kind: "record";
  readonly bytes: number;
  /** The first decides, then the second, … */
  readonly keys: readonly RecordKey[];
  /** Of typed keys. */
  readonly byteOrder: ByteOrder;
}

/** What a file holds one after the other. */
export type Item = KeyItem | RecordItem;

export const keyItem = (type: ElementType): KeyItem => ({ kind: "key", bytes: type.bytes, type });

/** What must be known, besides the item, to write a file like another one. */
export interface Style {
  readonly format: string;
  readonly byteOrder: ByteOrder;
  /** Of .npy: the format's version. */
  readonly npyVersion?: 1 | 2 | 3;
}

/** An input as items: keys little-endian and end to end, records as they are. */
export interface ItemInput {
  readonly name: string;
  readonly item: Item;
  /** Undefined where only the end tells. */
  readonly itemCount: number | undefined;
  /** The items, in any order. Absent where they come in their own only. */
  readonly source?: KeySource;
  /** Fills `into` with the whole items that follow. @returns bytes: fewer than fit at the end only. */
  next(into: Uint8Array): Promise<number>;
  readonly style: Style;
}

/** Takes items in ascending order of offsets, and turns them into a file. */
export interface ItemWriter extends KeySink {
  /** After the last item was taken. */
  finish(itemCount: number): Promise<void>;
}

export interface FormatOptions {
  readonly type?: string;
  readonly byteOrder?: string;
  readonly skipBytes?: string;
  readonly record?: string;
  readonly key?: readonly string[];
}

/** A way to lay out items in a file. To add one: a file beside this one, and its row in registry.ts. */
export interface Format {
  readonly name: string;
  readonly description: string;
  /** Endings that name it, without the dot. */
  readonly extensions: readonly string[];
  /** The bytes that such a file begins with, if it always does. */
  readonly magic?: Uint8Array;
  /** @throws InputError if the input is no such file, or if it holds what cannot be sorted. */
  open(input: ByteInput, options: FormatOptions): Promise<ItemInput>;
  /**
   * @param itemCount undefined if it will be known at the end only.
   * @throws InputError if such items cannot be written so.
   */
  create(output: ByteOutput, item: Item, style: Style, itemCount: number | undefined): Promise<ItemWriter>;
  /** Whether `create` on an output that is not seekable must know the number of items. */
  readonly countFirst: boolean;
}
