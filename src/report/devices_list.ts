import { printable } from "../core/printable.js";
import type { AdapterSummary } from "../dawn/adapter_summary.js";
import { foldLines } from "./fold.js";

/** A line of the list: an adapter, or a GPU that has none. */
export interface ListedDevice extends Pick<AdapterSummary, "number" | "uuid" | "pciAddress"> {
  /** The adapter's name; undefined if there is no adapter. */
  readonly name?: string | undefined;
  /** The GPU's name by the files of the system. */
  readonly model?: string | undefined;
}

/**
 * The devices, one on a line: the number that `--device` takes, the name, the PCI address and the UUID.
 *
 * @param columns the maximum width.
 */
export function devicesList(devices: readonly ListedDevice[], columns = 80): string {
  const sorted = [...devices].sort((a, b) => (a.number ?? 0) - (b.number ?? 0));
  const cells = sorted.map(({ number = "", name, model = "a GPU", pciAddress = "", uuid = "" }) => [
    String(number),
    name ?? model,
    pciAddress,
    name === undefined ? `${uuid} (no Vulkan driver offers it)`.trim() : uuid,
  ]);
  const aligned = cells.filter(([, , pciAddress]) => pciAddress !== "");
  const widths = [0, 1, 2].map((i) =>
    Math.max(0, ...(i === 0 ? cells : aligned).map((line) => line[i]!.length)),
  );
  const lines = cells.map((line) =>
    line
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return lines.map((line) => `${foldLines(printable(line), columns)}\n`).join("");
}
