import { elementType } from "../elements.js";
import { linearGrid, workgroupSize1d } from "../plan/grid.js";
import { bufferBytes, type Pass } from "../plan/plan.js";
import type { DeviceTraits } from "../plan/traits.js";
import {
  type BlockTuning,
  exchangeFits,
  type TransposeTuning,
  tileTuning,
  transposePass,
  transposeTuning,
} from "../sort/transpose.js";
import { defineDemo } from "./demo.js";
import { requireBuffer } from "./limits.js";
import { wholeNumber } from "./options.js";
import { copyExperiment, ratesTable } from "./rates.js";

const SHOWN = 6;

const type = elementType("u32");

/**
 * The bitonic sort's other kernel, alone: element (row, column) holds 100 * row + column. Written naively, either
 * its reads or its writes jump by a whole row; through workgroup memory both run along rows.
 */
export const transpose = defineDemo({
  name: "transpose",
  summary: "a matrix transposed naively and in tiles through workgroup memory, timed beside a plain copy",
  options: {
    rows: wholeNumber("rows of the matrix", { default: 1000, least: 1, most: 1 << 26 }),
    columns: wholeNumber("columns of the matrix", { default: 1500, least: 1, most: 1 << 26 }),
  },
  build: ({ values: { rows, columns }, traits }) => {
    const bytes = bufferBytes(rows * columns * type.bytes);
    requireBuffer(bytes, traits.limits, `a matrix of ${rows} x ${columns}`);
    const input = new Uint32Array(rows * columns);
    for (let i = 0; i < input.length; i++) input[i] = 100 * Math.floor(i / columns) + (i % columns);
    const experiment = (name: string, pass: Pass) => ({
      name,
      plan: { buffers: { input: { bytes }, output: { bytes } }, passes: [pass], result: "output" },
      inputs: { input },
      timed: true as const,
    });
    const ours = JSON.stringify(transposeTuning(type, rows, columns, traits));
    return {
      experiments: [
        copyExperiment(input, traits),
        experiment("naive", naivePass(rows, columns, traits)),
        ...tunings(rows, columns, traits).map((tuning) =>
          experiment(
            `${describe(tuning)}${JSON.stringify(tuning) === ours ? " *" : ""}`,
            transposePass(type, rows, columns, ["input", "output"], traits, tuning),
          ),
        ),
      ],
      show: (outcomes) => {
        const table = ratesTable(outcomes, () => 2 * rows * columns * type.bytes);
        const output = outcomes.at(-1)!.words.output!;
        return [
          `a corner of the input, ${rows} x ${columns}:\n${corner(input, rows, columns)}`,
          `and of the output:\n${corner(output, columns, rows)}`,
          table === "" ? "" : `\n${table}* what sorts take for such a matrix on this device\n`,
        ].join("");
      },
    };
  },
});

function naivePass(rows: number, columns: number, { limits }: DeviceTraits): Pass {
  const WORKGROUP_SIZE = workgroupSize1d(256, limits);
  return {
    program: { kernel: "transpose_naive", uses: ["grid"], constants: { WORKGROUP_SIZE } },
    bindings: ["input", "output"],
    params: [rows, columns],
    grid: linearGrid(Math.ceil((rows * columns) / WORKGROUP_SIZE), limits),
  };
}

/** What to choose between; each once, as a software adapter makes some of them the same. */
function tunings(rows: number, columns: number, traits: DeviceTraits): TransposeTuning[] {
  const all: TransposeTuning[] = [
    tileTuning(traits, { tileSide: 16, batch: 1 }),
    tileTuning(traits, { batch: 1 }),
    tileTuning(traits, {}),
    tileTuning(traits, { workgroupSize: 128, batch: 8 }),
    tileTuning(traits, { band: 8 }),
    tileTuning(traits, { workgroupSize: 512, batch: 2 }),
  ];
  if (traits.limits.maxComputeWorkgroupStorageSize >= 64 * 65 * 4) {
    all.push(tileTuning(traits, { tileSide: 64, batch: 16 }));
  }
  if (rows % 4 === 0 && columns % 4 === 0) {
    const blocks = (tuning: Partial<BlockTuning>) =>
      all.push({ kernel: "transpose_blocks", blocks: [16, 16], exchange: true, band: 1, ...tuning });
    const sides = traits.software
      ? []
      : ([
          [8, 8],
          [8, 32],
        ] as const);
    for (const blocksXY of sides) blocks({ blocks: blocksXY, exchange: false });
    if (exchangeFits(traits)) for (const band of [1, 4, 16]) blocks({ band });
  }
  all.push(transposeTuning(type, rows, columns, traits));
  return [...new Map(all.map((tuning) => [JSON.stringify(tuning), tuning])).values()];
}

function describe(tuning: TransposeTuning): string {
  const band = tuning.band > 1 ? `, bands of ${tuning.band}` : "";
  if (tuning.kernel === "transpose") {
    const { tileSide, workgroupSize, batch } = tuning;
    return `tile ${tileSide}, ${workgroupSize} invocations, ${batch} loads at once${band}`;
  }
  const [x, y] = tuning.blocks;
  return tuning.exchange
    ? `4 x 4 blocks, tile ${4 * x}, exchanged${band}`
    : `4 x 4 blocks, ${x} x ${y} a workgroup, not exchanged${band}`;
}

function corner(matrix: Uint32Array, rows: number, columns: number): string {
  const cells = (row: number) =>
    [...matrix.subarray(row * columns, row * columns + Math.min(SHOWN, columns))]
      .map((cell) => String(cell).padStart(5))
      .join("");
  return Array.from({ length: Math.min(SHOWN, rows) }, (_, row) => `${cells(row)}\n`).join("");
}
