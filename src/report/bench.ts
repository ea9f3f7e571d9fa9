import type { ColumnKey } from "../bench/contender.js";
import { crossover } from "../bench/crossover.js";
import type { BenchRow, Cell } from "../bench/run.js";
import type { GpuClock } from "../engines/engine.js";
import { StreamedTable } from "./table.js";
import { formatCount, formatPowerOfTwo, formatRatio, formatSeconds } from "./units.js";

/** The seed's table and its ratios, 103 characters wide. Seconds are medians. */
export class BenchTable {
  readonly #table: StreamedTable;

  constructor(clock: GpuClock) {
    const seconds = (heading: string) => ({ heading, width: 13, align: "right" }) as const;
    const ratio = (heading: string) => ({ heading, width: 9, align: "right" }) as const;
    this.#table = new StreamedTable([
      { heading: "elements", width: 11, align: "right" },
      seconds("Array .prototype .sort (s)"),
      seconds("TypedArray .prototype .sort (s)"),
      seconds(clock === "wall clock" ? "GPU sort, by wall clock (s)" : "GPU sort (s)"),
      seconds("GPU sort + readback (s)"),
      ratio("Typed / GPU sort"),
      ratio("Typed / GPU sort + readback"),
    ]);
  }

  head(): string {
    return this.#table.head();
  }

  row({ keyCount, cells }: BenchRow): string {
    return this.#table.row([
      formatCount(keyCount),
      secondsCell(cells.arraySort),
      secondsCell(cells.typedArraySort),
      secondsCell(cells.gpuSort),
      secondsCell(cells.gpuRoundTrip),
      ratioCell(cells.typedArraySort, cells.gpuSort),
      ratioCell(cells.typedArraySort, cells.gpuRoundTrip),
    ]);
  }

  foot(): string {
    return this.#table.foot();
  }
}

function secondsCell(cell: Cell): string {
  return "skipped" in cell ? cell.skipped : formatSeconds(cell.medianSeconds);
}

function ratioCell(slower: Cell, faster: Cell): string {
  if ("skipped" in slower || "skipped" in faster || faster.medianSeconds === 0) return "";
  return formatRatio(slower.medianSeconds / faster.medianSeconds);
}

/** One sentence: from where the GPU pays on this machine, against the fastest sort that JavaScript has. */
export function verdict(rows: readonly BenchRow[], device: string): string {
  const against = (column: ColumnKey) => crossover(rows, column, "typedArraySort");
  const say = (from: number | undefined, what: string) =>
    from === undefined ? `at no measured size ${what}` : `from ${formatPowerOfTwo(from)} keys ${what}`;
  const alone = say(against("gpuSort"), "for the sort alone");
  const roundTrip = say(against("gpuRoundTrip"), "with upload and readback");
  return `On this machine ${device} beats TypedArray.prototype.sort ${alone}, and ${roundTrip}.\n`;
}
