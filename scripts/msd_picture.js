/**
 * Draws the way of one tile's keys through a sort by the most significant digit first, for docs/kernels.md:
 *
 *     node scripts/msd_picture.js > docs/msd.svg
 */
import { followSystemTheme, light } from "../dist/report/plot/theme.js";
import { followKeys, KEYS, LOCAL, MSD, SEGMENT, TILE } from "./msd_steps.js";

const WIDTH = 920;
const LEFT = 44;
/** From one key to the next: of all keys, and of those of a tile or segment. */
const [BAR, CELL] = [13, 34];
const [BAR_HEIGHT, CELL_HEIGHT] = [36, 24];
const NOTES = 608;
const LINE = 16;

/** Colours of values from 0 to 255, in even steps: readable on both backgrounds, and below white text. */
const RAMP = [
  [66, 99, 209],
  [22, 120, 143],
  [46, 125, 60],
  [150, 105, 0],
  [196, 70, 50],
];
/** @param {number} value */
function colourOf(value) {
  const at = (value / 256) * (RAMP.length - 1);
  const [from, to] = [RAMP[Math.floor(at)], RAMP[Math.floor(at) + 1]];
  return `rgb(${from.map((part, i) => Math.round(part + (to[i] - part) * (at % 1))).join(",")})`;
}

const { input, tile, segments, local, output } = followKeys();
const followed = new Set(tile.slots);
/** @type {string[]} */
const parts = [];

/** @param {number} i */
const barX = (i) => LEFT + i * BAR;
/** @param {number} i */
const cellX = (i) => LEFT + i * CELL;

/**
 * @param {number} x
 * @param {number} y
 * @param {string | number} text
 * @param {string} more
 */
function write(x, y, text, more = "") {
  parts.push(`<text x="${x}" y="${y}"${more}>${text}</text>`);
}

/**
 * A heading and lines below it.
 *
 * @param {number} x
 * @param {number} y
 * @param {string} heading
 * @param {string[]} lines
 */
function note(x, y, heading, ...lines) {
  write(x, y, heading, ' font-weight="bold" font-size="13"');
  lines.forEach((line, i) => {
    write(x, y + (i + 1) * LINE, line);
  });
}

/**
 * A bar for each of all keys, the higher the greater. The followed tile's keys stand out.
 *
 * @param {number[]} values
 * @param {number} y
 */
function bars(values, y) {
  values.forEach((value, i) => {
    const height = 6 + Math.round((value / 255) * (BAR_HEIGHT - 6));
    const opacity = followed.has(value) ? "" : ' opacity="0.4"';
    parts.push(
      `<rect x="${barX(i) + 1}" y="${y + BAR_HEIGHT - height}" width="${BAR - 2}" height="${height}" fill="${colourOf(value)}"${opacity}/>`,
    );
  });
}

/**
 * A line below the bars from `begin` to `end`, with a label.
 *
 * @param {number} begin
 * @param {number} end
 * @param {number} y
 * @param {string} text
 * @param {boolean} isBold
 */
function bracket(begin, end, y, text, isBold) {
  const [from, to] = [barX(begin) + 2, barX(end) - 2];
  parts.push(`<path d="M${from} ${y}v4H${to}v-4" fill="none" stroke="${light.ink}"/>`);
  write((from + to) / 2, y + 18, text, ` text-anchor="middle"${isBold ? ' font-weight="bold"' : ""}`);
}

/** @param {number} digit */
const binary = (digit) => digit.toString(2).padStart(MSD.digitBits, "0");

/**
 * All keys, in segments.
 *
 * @param {number[]} values
 * @param {number} y
 */
function barsOfSegments(values, y) {
  bars(values, y);
  segments.starts.slice(0, -1).forEach((start, i) => {
    bracket(start, segments.starts[i + 1], y + BAR_HEIGHT + 4, `segment ${binary(i)}`, i === SEGMENT);
  });
}

/**
 * A cell for each key of a tile or segment.
 *
 * @param {number[]} values
 * @param {number} y
 */
function cells(values, y) {
  values.forEach((value, i) => {
    const edge = followed.has(value) ? ` stroke="${light.ink}" stroke-width="2"` : "";
    parts.push(
      `<rect x="${cellX(i) + 2}" y="${y}" width="${CELL - 4}" height="${CELL_HEIGHT}" rx="3" fill="${colourOf(value)}"${edge}/>`,
    );
    write(cellX(i) + CELL / 2, y + 17, value, ' text-anchor="middle" font-weight="bold" fill="white"');
  });
}

/**
 * Numbers below cells, after a name for them.
 *
 * @param {string} name
 * @param {(string | number)[]} values
 * @param {number} y
 */
function numbers(name, values, y) {
  write(LEFT - 4, y, name, ' text-anchor="end"');
  values.forEach((value, i) => {
    write(cellX(i) + CELL / 2, y, value, ' text-anchor="middle"');
  });
}

/**
 * A line for each key from where it was to where it goes.
 *
 * @param {{ value: number, x: number, target: number }[]} keys
 * @param {number} from
 * @param {number} to
 */
function paths(keys, from, to) {
  for (const { value, x, target } of keys) {
    const middle = (from + to) / 2;
    const width = followed.has(value) ? 2.2 : 1;
    parts.push(
      `<path d="M${x} ${from}C${x} ${middle} ${target} ${middle} ${target} ${to}" fill="none" stroke="${colourOf(value)}" stroke-width="${width}"/>`,
    );
  }
}

/**
 * The paths between two rows of cells.
 *
 * @param {number[]} before
 * @param {number[]} after
 * @param {number} from
 * @param {number} to
 */
function cellPaths(before, after, from, to) {
  /** @param {number} i */
  const x = (i) => cellX(i) + CELL / 2;
  const keys = before.map((value, i) => ({ value, x: x(i), target: x(after.indexOf(value)) }));
  paths(keys, from, to);
}

/**
 * Shows that one row is a part of another one.
 *
 * @param {number[]} above
 * @param {number} from
 * @param {number[]} below
 * @param {number} to
 */
function zoom([fromLeft, fromRight], from, [toLeft, toRight], to) {
  parts.push(
    `<path d="M${fromLeft} ${from}H${fromRight}L${toRight} ${to}H${toLeft}Z" fill="${light.faint}" opacity="0.5"/>`,
  );
}

/**
 * The blocks of slots that invocations sort.
 *
 * @param {number} first
 * @param {number} count
 * @param {number} y
 */
function blocks(first, count, y) {
  for (let at = first; at < count; at += LOCAL.keysPerInvocation) {
    const width = CELL * Math.min(LOCAL.keysPerInvocation, count - at);
    parts.push(
      `<rect x="${cellX(at) + 1}" y="${y - 4}" width="${width - 2}" height="${CELL_HEIGHT + 8}" rx="4" fill="${light.faint}"/>`,
    );
  }
}

/**
 * Rows of columns that end below each other.
 *
 * @param {number} x
 * @param {number} y
 * @param {(string | number)[][]} rows
 */
function table(x, y, rows) {
  rows.forEach((row, i) => {
    row.forEach((text, column) => {
      write(x + 30 + 76 * column, y + i * LINE, text, ' text-anchor="end"');
    });
  });
}

const size = tile.keys.length;
const count = local.keys.length;
const tiles = KEYS / size;

let y = 28;
note(
  LEFT,
  y,
  "1. The input: 64 keys in four tiles",
  "A key is a number from 0 to 255, shown by colour and height.",
);
y += 32;
bars(input, y);
y += BAR_HEIGHT + 4;
for (let i = 0; i < tiles; i++) {
  bracket(i * size, (i + 1) * size, y, i === TILE ? "the tile followed here" : `tile ${i}`, i === TILE);
}
y += 26;
zoom([barX(TILE * size), barX((TILE + 1) * size)], y, [cellX(0), cellX(size)], y + 34);

y += 40;
cells(
  tile.keys.map(({ value }) => value),
  y,
);
numbers(
  "digit",
  tile.keys.map(({ digit }) => binary(digit)),
  y + 40,
);
numbers(
  "rank",
  tile.keys.map(({ rank }) => rank),
  y + 56,
);
note(
  NOTES,
  y - 14,
  "2. Rank: one atomic addition a key",
  "The digit is a key’s top two bits. Adding 1",
  "to its counter returns the key’s rank. On a",
  "GPU, keys may be ranked in any order.",
  "A prefix sum of counts gives first slots:",
);
table(NOTES, y + 74, [
  ["digit", "count", "first slot", "first place"],
  ...tile.counters.map((n, digit) => [binary(digit), n, tile.firstSlots[digit], tile.firstPlaces[digit]]),
]);
y += 62;
cellPaths(
  tile.keys.map(({ value }) => value),
  tile.slots,
  y,
  y + 96,
);

y += 98;
cells(tile.slots, y);
numbers("slot", [...tile.slots.keys()], y + 40);
note(
  NOTES,
  y + 10,
  "3. Exchange in workgroup memory",
  "Slot = first slot of the digit + rank.",
  "Place = first place of the digit + rank:",
  "a digit’s keys go to neighbouring places.",
);
y += 46;
const slotPaths = tile.slots.map((value, i) => ({
  value,
  x: cellX(i) + CELL / 2,
  target: barX(segments.values.indexOf(value)) + BAR / 2,
}));
paths(slotPaths, y, y + 96);

y += 100;
barsOfSegments(segments.values, y);
y += BAR_HEIGHT + 4;
note(
  NOTES,
  y + 48,
  "4. Segments, not sorted within",
  "Paler keys come from other tiles. First",
  "places follow from the counts of all tiles.",
);
y += 26;
zoom([barX(local.begin), barX(local.end)], y, [cellX(0), cellX(count)], y + 78);

y += 84;
cells(local.keys, y);
numbers("bin", local.bins, y + 40);
note(
  NOTES,
  y + 8,
  "5. Local sort: bins",
  "One workgroup sorts a segment. The next",
  "four bits choose a key’s bin. Atomics and a",
  "prefix sum give its slot, as in step 2.",
  "Cells with an outline: the tile’s keys.",
);
y += 46;
cellPaths(local.keys, local.slots, y, y + 70);

y += 76;
blocks(0, count, y);
cells(local.slots, y);
note(NOTES, y + 8, "6. A network sorts every three slots", "Only keys of one bin can be out of order.");
cellPaths(local.slots, local.once, y + 29, y + 60);

y += 66;
const half = Math.floor(LOCAL.keysPerInvocation / 2);
blocks(half, count, y);
cells(local.once, y);
note(NOTES, y + 8, "7. And across the ends of these", "The blocks begin one slot later.");
cellPaths(local.once, local.twice, y + 29, y + 60);

y += 62;
cells(local.twice, y);
note(NOTES, y + 16, "8. The segment is in order");
zoom([cellX(0), cellX(count)], y + 30, [barX(local.begin), barX(local.end)], y + 76);
note(NOTES, y + 56, "9. All segments: the output");

y += 80;
barsOfSegments(output, y);
y += BAR_HEIGHT + 36;

const title = "The way of one tile’s keys through the scatter and the local sort";
const description =
  "64 keys are cut into four tiles. The 16 keys of one tile are ranked by their top two bits, exchanged in " +
  "workgroup memory, and written as four runs, one to each segment. One segment goes to bins by its next four " +
  "bits, and networks of three keys, twice, put it in order. All segments together are the sorted output.";
const head =
  `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${y}" viewBox="0 0 ${WIDTH} ${y}" role="img" ` +
  `aria-labelledby="title description" font-family="Helvetica, Arial, sans-serif" font-size="12" fill="${light.ink}">`;
const drawing = [
  head,
  `<title id="title">${title}</title>`,
  `<desc id="description">${description}</desc>`,
  `<rect width="${WIDTH}" height="${y}" fill="${light.ground}"/>`,
  ...parts,
  "</svg>",
];
process.stdout.write(`${followSystemTheme(drawing.join("\n"))}\n`);
