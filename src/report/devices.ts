import type { AutoChoice } from "../auto/open.js";
import { elementType } from "../core/elements.js";
import { gridToCover, workgroupSize2d } from "../core/plan/grid.js";
import type { DeviceTraits } from "../core/plan/traits.js";
import { printable } from "../core/printable.js";
import { algorithm, chooseAlgorithm } from "../core/sort/algorithms.js";
import { bitonicTuning } from "../core/sort/bitonic.js";
import { radixTuning } from "../core/sort/radix/radix.js";
import type { AdapterSummary } from "../dawn/choose_adapter.js";
import type { ShaderCache } from "../dawn/shader_cache.js";
import { packageToInstall } from "../optional_packages.js";
import { foldLines } from "./fit.js";
import { StreamedTable } from "./table.js";
import { formatBytes, formatCount, formatPowerOfTwo } from "./units.js";

/** Features that gpusort uses, or that distinguish adapters. --json lists all features. */
const shownFeatures = ["timestamp-query", "subgroups", "shader-f16"];

/** The size of an image to cover with workgroups, as in the article on grid sizes. */
const EXTENT = [1024, 768] as const;

const LABELS = { columns: 22, least: 12 };
const CELLS = { columns: 30, least: 20 };

/** Which adapter a selector chooses, and by what. */
export interface SelectedAdapter {
  /** The value of `--device`, or of GPUSORT_DEVICE. */
  readonly selector: string;
  /** The adapter that it chooses; undefined for none. */
  readonly chosen: AdapterSummary | undefined;
  /** What `auto` takes on this machine. */
  readonly auto: AutoChoice;
  /** Whether the selector is that of GPUSORT_DEVICE, and the command line has no `--device`. Default: false. */
  readonly isVariable?: boolean | undefined;
}

/**
 * The adapters side by side, equal ones in one column, and which of them a selector chooses. Adapters that do
 * not fit beside the others follow in a further table.
 *
 * @param columns the maximum width.
 */
export function devicesTable(
  adapters: readonly AdapterSummary[],
  { selector, chosen, auto, isVariable = false }: SelectedAdapter,
  columns = 80,
): string {
  if (adapters.length === 0) {
    return [
      "no adapter was found, so gpusort sorts on the CPU\n",
      "  to get an adapter, install a GPU driver or, on linux-x64,\n",
      `  the npm package ${packageToInstall("@sparticuz/chromium")}\n`,
    ].join("");
  }
  const kinds = withoutEquals(adapters);
  const labels = Math.min(LABELS.columns, Math.max(LABELS.least, Math.floor(columns / 3)));
  const room = columns - (labels + FRAME) - 1;
  const beside = Math.max(1, Math.floor(room / (CELLS.least + FRAME)));
  const tables = Math.ceil(kinds.length / beside);
  const perTable = Math.ceil(kinds.length / tables);
  const cells = Math.min(CELLS.columns, Math.max(CELLS.least, Math.floor(room / perTable) - FRAME));
  const parts = Array.from({ length: tables }, (_, i) =>
    adapterTable(kinds.slice(i * perTable, (i + 1) * perTable), labels, cells),
  );
  const choice = selector === "auto" ? autoText(adapters, auto) : [choiceText(selector, chosen, isVariable)];
  return [...parts, ...choice.map((line) => `${foldLines(printable(line), columns)}\n`)].join("");
}

/** Of adapters that differ only in their identity, the first. */
function withoutEquals(adapters: readonly AdapterSummary[]): AdapterSummary[] {
  const kind = ({ name, backend, origin }: AdapterSummary) => [name, backend, origin].join("\n");
  return [...new Map([...adapters].reverse().map((adapter) => [kind(adapter), adapter])).values()].reverse();
}

/** Where drivers keep compiled shaders, and of how many bytes. */
export function shaderCacheText(
  { folders, bytes, problem }: ShaderCache & { bytes: number },
  columns = 80,
): string {
  const lines = [
    ...(folders.length === 0 ? [] : [`compiled shaders: ${folders.join(" and ")} (${formatBytes(bytes)})`]),
    ...(problem === undefined ? [] : [`compiled shaders may not be kept: ${problem}`]),
  ];
  return lines.map((line) => `${foldLines(printable(line), columns)}\n`).join("");
}

/** The line and the spaces that separate two cells. */
const FRAME = 3;

function adapterTable(adapters: readonly AdapterSummary[], labels: number, cells: number): string {
  const table = new StreamedTable([
    { heading: "", width: labels, align: "left" },
    ...adapters.map(({ name }) => ({ heading: name, width: cells, align: "left" as const })),
  ]);
  const body = rows.map(([label, cell]) => table.row([label, ...adapters.map(cell)]));
  return [table.head(), ...body, table.foot()].join("");
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
  ["kernels for u32 keys", (adapter) => familiesText(traits(adapter))],
  [
    "most u32 keys at once",
    (adapter) =>
      formatCount(algorithm("auto").capacity(elementType("u32"), { descending: false }, traits(adapter))),
  ],
];

/** What tests find is known only for an opened device. Nothing that the table shows depends on it. */
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

/** 134217728 -> "128 MiB". A size just below a round one shows the difference: "2 GiB - 4". */
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

function choiceText(selector: string, chosen: AdapterSummary | undefined, isVariable: boolean): string {
  const choice = `${isVariable ? "GPUSORT_DEVICE=" : "--device "}${selector}`;
  if (selector === "cpu") return `${choice} uses none of these adapters`;
  if (!chosen) return `${choice} chooses none of these adapters`;
  const number = chosen.pciAddress === undefined ? "" : `${chosen.number}, `;
  return `${choice} chooses ${number}${chosen.name}`;
}

/** What `auto` chooses. */
function autoText(
  adapters: readonly AdapterSummary[],
  { mayHaveGpu, cpuBelowKeys, gpuFromBytes }: AutoChoice,
): string[] {
  if (!mayHaveGpu || adapters.every(({ software }) => software)) {
    const reason = mayHaveGpu ? "no GPU could be opened" : "there is no GPU";
    return [`--device auto takes the CPU: ${reason}, and no software adapter sorts faster`];
  }
  return [
    "--device auto takes",
    `  the CPU for fewer than ${formatCount(cpuBelowKeys)} keys, and for pipes`,
    `  the GPU from ${formatBytes(gpuFromBytes)} of keys on, by an estimate`,
  ];
}

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

const EXPONENTS = Array.from({ length: 18 }, (_, i) => 10 + i);

/** The kernels that sort u32 keys, or such keys with values of a word, on a device. */
function familyOf(keyCount: number, values: boolean, traits: DeviceTraits): string {
  const type = elementType("u32");
  const options = { descending: false, ...(values ? { payload: 4 } : {}) };
  if (chooseAlgorithm(keyCount, type, options, traits).name === "bitonic") return "bitonic";
  const tuning = radixTuning(keyCount, type, traits, options);
  return tuning.family === "subgroup" ? `subgroup, of ${tuning.subgroupSize}` : tuning.family;
}

/** Which kernels sort how many keys: "bitonic to 2^12; workgroup". */
export function familiesText(traits: DeviceTraits, values = false): string {
  const families = EXPONENTS.map((exponent) => familyOf(2 ** exponent, values, traits));
  return families
    .flatMap((family, i) => {
      if (family === families[i + 1]) return [];
      return i === families.length - 1 ? [family] : [`${family} to ${formatPowerOfTwo(2 ** EXPONENTS[i]!)}`];
    })
    .join("; ");
}
