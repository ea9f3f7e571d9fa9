import type { Style } from "../formats/format.js";
import type { OpenInputsOptions } from "../sort/inputs.js";
import type { JobPlan } from "./plan.js";

/** How the inputs of a job are read. The plan was made from such options, so they are right. */
export function optionsOfReading(reading: JobPlan["reading"]): OpenInputsOptions {
  return reading as OpenInputsOptions;
}

/** The style of the parts. */
export function styleOfParts({ writing }: JobPlan): Style {
  const { format, byteOrder, npyVersion, header } = writing;
  return {
    format,
    byteOrder,
    ...(npyVersion && { npyVersion }),
    ...(header !== undefined && { header: new Uint8Array(Buffer.from(header, "base64")) }),
  };
}

/** How a part is read again. */
export function readingOfParts({ writing, item }: JobPlan): OpenInputsOptions {
  const { format, byteOrder, header } = writing;
  if ("recordBytes" in item) {
    const hasNumbers = item.keys.some((key) => "type" in key);
    const { recordBytes, keys } = item;
    return { recordBytes, keys, ...(hasNumbers && { byteOrder: item.byteOrder }) } as OpenInputsOptions;
  }
  const common = { format, type: item.type } as OpenInputsOptions;
  if (format === "raw") return { ...common, byteOrder };
  return format === "text" ? { ...common, header: header !== undefined } : common;
}
