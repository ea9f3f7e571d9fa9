import type { itemKindNames, Kind } from "../kinds/names.js";
import type { Format } from "./format.js";
import { npy } from "./npy.js";
import { raw } from "./raw.js";
import { records } from "./records.js";
import { text } from "./text/text.js";

/** The formats of numbers and records. Lines, CSV and tables are rows, which are moved as they are. */
const formats: readonly Format<ItemFormatName>[] = [npy, text, records, raw];

/** The name of a format of numbers or records. */
export type ItemFormatName = (typeof itemKindNames)[number];

/** The format of numbers or records with a name; undefined for what holds rows. */
export const itemFormat = (name: Kind | undefined): Format<ItemFormatName> | undefined =>
  formats.find((format) => format.name === name);
