import type { AdapterSummary } from "../device/adapter.js";
import { elementType } from "../elements.js";
import { gridToCover, workgroupSize2d } from "../plan/grid.js";
import type { DeviceTraits } from "../plan/traits.js";
import { algorithm, capacity } from "../sort/algorithms.js";
import { bitonicTuning } from "../sort/bitonic.js";
import { StreamedTable } from "./table.js";
import { formatCount } from "./units.js";

/** Features that gpusort makes use of or that tell adapters apart; --json has them all. */
const shownFeatures = ["timestamp-query", "subgroups", "shader-f16"];

/** An image to cover, as in the article on grid sizes. */
const EXTENT = [1024, 768] as const;

export function devicesTable(
  adapters: readonly AdapterSummary[],
  selector: string,
  chosen: AdapterSummary | undefined,
): string {
  if (adapters.length === 0) {
    return "no adapter was found: gpusort sorts on the CPU\n  for one, install a GPU driver or the npm package @sparticuz/chromium (linux-x64)\n";
  }
  const table = new StreamedTable([
    { heading: "", width: 22, align: "left" },
    ...adapters.map(({ name }) => ({ heading: name, width: 30, align: "left" as const })),
  ]);
  const body = rows.map(([label, cell]) => table.row([label, ...adapters.map(cell)]));
  return [table.head(), ...body, table.foot(), choice(selector, chosen)].join("");
}

const rows: readonly (readonly [label: string, cell: (adapter: AdapterSummary) => string])[] = [
  ["type", ({ software, origin }) => `${software ? "software" : "hardware"}, ${origin}`],
  ["driver", ({ driver }) => driver],
  ["vendor, architecture", ({ vendor, architecture }) => [vendor, architecture].filter(Boolean).join(", ")],
  ["subgroup size", ({ subgroupSize: { min, max } }) => (min === max ? `${min}` : `${min} to ${max}`)],
  ["invocations a workgroup", ({ limits }) => formatCount(limits.maxComputeInvocationsPerWorkgroup)],
  ["workgroup memory", ({ limits }) => binary(limits.maxComputeWorkgroupStorageSize)],
  ["workgroups a dimension", ({ limits }) => formatCount(limits.maxComputeWorkgroupsPerDimension)],
  ["largest binding", ({ limits }) => binary(limits.maxStorageBufferBindingSize)],
  ["largest buffer", ({ limits }) => binary(limits.maxBufferSize)],
  [
    "features",
    ({ features }) => shownFeatures.filter((feature) => features.includes(feature)).join(", ") || "none",
  ],
  ["2-D workgroup", (adapter) => workgroup2d(adapter).join(" x ")],
  [
    "… for 1024 x 768",
    (adapter) => `${gridToCover(EXTENT, workgroup2d(adapter)).slice(0, 2).join(" x ")} workgroups`,
  ],
  ["bitonic workgroup", bitonicWorkgroup],
  [
    "most u32 keys at once",
    (adapter) => formatCount(capacity(algorithm("auto"), elementType("u32"), traits(adapter))),
  ],
];

/** Lockstep is found out on an opened device only; nothing shown here depends on it. */
function traits(adapter: AdapterSummary): DeviceTraits {
  return { ...adapter, lockstep: false };
}

function workgroup2d({ subgroupSize, limits }: AdapterSummary): [number, number] {
  return workgroupSize2d(subgroupSize.min, limits);
}

function bitonicWorkgroup(adapter: AdapterSummary): string {
  const { workgroupSize, tileBits } = bitonicTuning(elementType("u32"), traits(adapter));
  return `${workgroupSize} invocations, ${formatCount(2 ** tileBits)} u32 keys`;
}

/** 134217728 -> "128 MiB"; sizes just under a round one keep their difference. */
function binary(bytes: number): string {
  for (const [unit, size] of [
    ["TiB", 2 ** 40],
    ["GiB", 2 ** 30],
    ["MiB", 2 ** 20],
    ["KiB", 2 ** 10],
  ] as const) {
    const whole = Math.ceil(bytes / size);
    if (bytes >= size && whole * size - bytes <= 64) {
      const missing = whole * size - bytes;
      return `${formatCount(whole)} ${unit}${missing > 0 ? ` - ${missing}` : ""}`;
    }
  }
  return `${formatCount(bytes)} B`;
}

function choice(selector: string, chosen: AdapterSummary | undefined): string {
  if (!chosen) return `--device ${selector} means the CPU, or nothing that is here\n`;
  return `--device ${selector} chooses ${chosen.name}\n`;
}
