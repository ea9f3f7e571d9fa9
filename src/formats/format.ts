import type { KernelProgram } from "../core/cpu/program.js";
import type { KernelRunner } from "../core/cpu/runner.js";
import type { TypeName } from "../core/elements.js";
import type { ByteOrder, Item } from "../core/items/item.js";
import type { ByteInput, ByteOutput } from "../core/streams/byte_stream.js";
import type { ItemSink, ItemSource, ItemStream } from "../core/streams/item_stream.js";

/** How a file lays out its items. An output with the style of an input has the layout of that input. */
export interface Style {
  /** The name of the format. */
  readonly format: string;
  readonly byteOrder: ByteOrder;
  /** The version of the .npy format. */
  readonly npyVersion?: 1 | 2 | 3;
  /** The header line of text, without its line break. */
  readonly header?: Uint8Array;
}

/** An input as items: keys end to end in little-endian byte order, or records unchanged. */
export interface ItemInput extends ItemStream {
  readonly name: string;
  readonly item: Item;
  /** Reads the items in any order. Absent if they can only be read from the first to the last. */
  readonly source?: ItemSource;
  readonly style: Style;
  /** The number of the line with the first item, from 1, if each line after it holds the next item. */
  readonly firstLine?: number | undefined;
}

/** What the caller knows about an input. Options that do not apply to the input's format are errors. */
export interface InputOptions {
  /**
   * The type of the keys. Default: for .npy that of the header; for text i64; else by the extension, or u32.
   */
  readonly type?: TypeName | undefined;
  /** The byte order of raw keys, and of record keys that are numbers. Default: "little". */
  readonly byteOrder?: ByteOrder | undefined;
  /** Bytes to skip at the start of the input, for example a header. They are not written. Default: 0. */
  readonly skipBytes?: number | undefined;
  /** The length of a record, in bytes. With it, the input consists of records. */
  readonly recordBytes?: number | undefined;
  /**
   * The keys of a record. The first decides, then the second, … Default: all bytes of the record as one key.
   */
  readonly keys?: readonly RecordKeyOption[] | undefined;
  /** Whether blank lines of text, empty or of spaces only, are errors or are skipped. Default: "error". */
  readonly blankLines?: "error" | "skip" | undefined;
  /**
   * Whether the first line of each input, which must be text, is a header. It is not sorted. A text output
   * begins with it, if it holds keys; all inputs must have the same header. Default: false.
   */
  readonly header?: boolean | undefined;
  /**
   * Whether numbers of text that are too large for a float type are errors, or become infinite. Default:
   * "error".
   */
  readonly textOverflow?: "error" | "inf" | undefined;
}

/** A key of a record: bytes, which are compared from first to last as unsigned numbers, or one number. */
export type RecordKeyOption =
  | {
      /** Bytes from the start of the record to the key. */
      readonly offset: number;
      /** The length of the key, in bytes. */
      readonly bytes: number;
    }
  | {
      /** Bytes from the start of the record to the number, any number of them. */
      readonly offset: number;
      /** The type of the number. */
      readonly type: TypeName;
    };

/** What a format may use besides the thread that calls it. Whoever lends it closes it. */
export interface FormatTools {
  /** Makes a runner of a program's kernels. */
  runner?<Name extends string>(program: KernelProgram<Name>): KernelRunner<Name>;
}

/** A file format for items. ARCHITECTURE.md says what one more costs. */
export interface Format<Name extends string = string> {
  readonly name: Name;
  /**
   * Opens an input.
   *
   * @throws InputError if it is not of this format, if its items cannot be sorted, or if an option is wrong.
   */
  open(input: ByteInput, options: InputOptions, tools?: FormatTools): Promise<ItemInput>;
  /**
   * Makes a sink that writes items to a file. Ending the sink completes the file.
   *
   * @param itemCount undefined if it is not known before the end.
   * @throws InputError if the format cannot hold such items.
   */
  create(
    output: ByteOutput,
    item: Item,
    style: Style,
    itemCount: number | undefined,
    tools?: FormatTools,
  ): Promise<ItemSink>;
  /** Whether `create` needs the item count if the output is not seekable. */
  readonly needsItemCount: boolean;
}
