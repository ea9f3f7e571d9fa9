import type { Metric } from "../bench/metric.js";
import { type BenchRow, isMeasured } from "../bench/schema.js";
import { StreamedTable } from "./table.js";
import { formatCount, formatDuration } from "./units.js";

/** The last table of the tutorial that gpusort began with. Times are seconds on an NVIDIA GTX 850M. */
const seed: readonly (readonly [keyCount: number, cpu: number, gpu: number, gpuAndReadback: number])[] = [
  [512, 0.00002, 0.000003, 0.000186],
  [1024, 0.000043, 0.000007, 0.000226],
  [2048, 0.000102, 0.000009, 0.00031],
  [4096, 0.000245, 0.000009, 0.000452],
  [8192, 0.000512, 0.00001, 0.000771],
  [16_384, 0.001054, 0.000012, 0.000869],
  [32_768, 0.002114, 0.000012, 0.001819],
  [65_536, 0.004448, 0.000014, 0.002625],
  [131_072, 0.0096, 0.000015, 0.00513],
  [262_144, 0.021555, 0.000021, 0.008983],
  [524_288, 0.048621, 0.00003, 0.015652],
  [1_048_576, 0.111219, 0.000044, 0.040927],
  [2_097_152, 0.257118, 0.000072, 0.188662],
  [4_194_304, 0.444995, 0.000083, 0.30024],
  [8_388_608, 0.959173, 0.000124, 0.465746],
  [16_777_216, 2.178453, 0.000177, 0.915898],
  [33_554_432, 5.869439, 0.000361, 2.269989],
];

/** Says what the tutorial's table really measured. */
export const seedNote = [
  `The "850M" columns are the table of the tutorial that gpusort began with: u32 keys on an NVIDIA\n`,
  `GTX 850M. Its "GPU" column times only the submission and not the sort: 33,554,432 keys in\n`,
  `0.361 ms would need more bandwidth than that card has. Only its "readback" includes the sort.\n`,
  "From 524,288 keys on, the tutorial's method does not sort.\n",
].join("");

/** The tutorial's times beside this machine's, for the sizes that both have. */
export function seedTable(rows: readonly BenchRow[], maxWidth: number): string {
  const column = (heading: string) => ({ heading, width: 8, align: "right" }) as const;
  const table = new StreamedTable(
    [
      { heading: "keys", width: 10, align: "right" },
      column("850M CPU"),
      column("Typed Array"),
      column('850M "GPU"'),
      column("GPU sort"),
      column("850M readback"),
      column("GPU round trip"),
    ],
    { maxWidth },
  );
  const lines = rows.flatMap((row) => {
    const times = seed.find(([keyCount]) => row.task === "sort" && keyCount === row.keyCount);
    if (!times) return [];
    const [, cpu, gpu, gpuAndReadback] = times;
    return table.row([
      formatCount(row.keyCount),
      formatDuration(cpu),
      measuredText(row, "typed"),
      formatDuration(gpu),
      measuredText(row, "gpu"),
      formatDuration(gpuAndReadback),
      measuredText(row, "round-trip"),
    ]);
  });
  return [table.head(), ...lines, table.foot()].join("");
}

function measuredText({ cells }: BenchRow, metric: Metric): string {
  const cell = cells[metric];
  return isMeasured(cell) ? formatDuration(cell.medianSeconds) : (cell?.skipped ?? "");
}
