/**
 * node scripts/benchmarks_page.js: writes BENCHMARKS.md from docs/benchmarks/, where each question has a file.
 * docs/benchmarks/README.md says how to add one. A test fails if the page is not current.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as v from "valibot";
import { markdownTable } from "./marked_table.js";

const folder = new URL("../docs/benchmarks/", import.meta.url);
const document = new URL("../BENCHMARKS.md", import.meta.url);

/** @typedef {v.InferOutput<typeof Question>} Data */

/** The sections of the page, and the files of their questions in order. */
export const SECTIONS = {
  "Numbers on the GPU": [
    "u32",
    "u32-one-workgroup",
    "u64",
    "floats",
    "floats-two-levels",
    "with-values",
    "real-keys",
    "real-keys-with-index",
    "real-keys-large",
    "narrow-types",
  ],
  "Segments, first keys, distinct keys and scans": [
    "segments",
    "first-keys",
    "first-keys-of-rows",
    "distinct-keys",
    "scans",
  ],
  "JavaScript arrays": ["arrays-h200", "arrays-software", "arrays-cpu"],
  "Files of numbers": [
    "files-two-cores",
    "files-two-of-16-cores",
    "files-two-cores-zen4",
    "files-16-cores",
    "files-gpu-host",
    "files-options",
    "files-compressed",
    "records",
    "numbers-as-text",
  ],
  "Lines, CSV and Parquet": [
    "lines-gpu-host",
    "lines-two-cores",
    "merges",
    "tables-16-cores",
    "tables-two-cores",
  ],
  "Jobs on many machines": ["jobs", "jobs-two-gpus"],
  "Web pages and demos": ["page-first-sort", "demos"],
  Faults: ["kills"],
};

const text = v.pipe(v.string(), v.trim(), v.nonEmpty());

/** One number with its unit: not two values, nor a value and another in brackets. */
const value = v.pipe(v.string(), v.regex(/^(over )?\d[\d,]*(\.\d+)?( ?(µs|ms|s|x|%|MB|GB|MiB|kB))?[~*]?$/));

const distinct = v.check(
  (/** @type {string[]} */ items) => new Set(items).size === items.length,
  "two are the same",
);

/** @param {string} note */
const sentences = (note) => note.replaceAll(/`[^`]*`/g, "").split(/[.:!?] (?=[A-Z`])/).length;

/** What a file of docs/benchmarks/ holds. */
const Question = v.pipe(
  v.strictObject({
    title: v.pipe(v.string(), v.endsWith("?")),
    machine: text,
    adapter: v.optional(text),
    versions: text,
    command: v.pipe(v.array(text), v.nonEmpty()),
    date: v.pipe(v.string(), v.regex(/^(not recorded|\d{4}-\d\d-\d\d)/)),
    unit: text,
    plots: v.optional(v.array(text), []),
    raw: v.optional(v.array(text), []),
    columns: v.pipe(v.array(text), distinct),
    /** How many of the columns name what a row shows. */
    labels: v.optional(v.number(), 1),
    rows: v.pipe(v.array(v.array(v.nullable(text))), v.nonEmpty()),
    notes: v.pipe(
      v.array(text),
      v.check((notes) => notes.reduce((sum, note) => sum + sentences(note), 0) <= 3, "over three sentences"),
    ),
  }),
  v.check(({ columns, rows }) => rows.every((row) => row.length === columns.length), "a row is too short"),
  v.check(
    ({ rows, labels }) => rows.every((row) => v.is(v.array(v.nullable(value)), row.slice(labels))),
    "a cell holds no single value",
  ),
  v.check(
    ({ rows, labels }) => new Set(rows.map((row) => row.slice(0, labels).join("|"))).size === rows.length,
    "two rows have the same labels, so a cell has two values",
  ),
);

/**
 * @param {string} name
 * @param {unknown} question
 * @returns {Data} a question that was checked.
 * @throws Error that names the file and what is wrong in it.
 */
export function checkedQuestion(name, question) {
  const { success, output, issues } = v.safeParse(Question, question);
  if (success) return output;
  const [{ message, path = [] }] = issues;
  throw new Error(`docs/benchmarks/${name}.json: ${[...path.map(({ key }) => key), message].join(": ")}`);
}

/** @returns {Map<string, Data>} the questions of docs/benchmarks/ by the names of their files. */
export function readQuestions() {
  const names = Object.values(SECTIONS).flat();
  /** @param {string} name */
  const read = (name) => JSON.parse(readFileSync(new URL(`${name}.json`, folder), "utf8"));
  return new Map(names.map((name) => [name, checkedQuestion(name, read(name))]));
}

/**
 * Lines of at most 112 characters, which break only outside of code.
 *
 * @param {string} paragraph
 */
function wrapped(paragraph) {
  const lines = [""];
  for (const [word] of paragraph.matchAll(/(`[^`]*`|[^\s`])+/g)) {
    const line = lines[lines.length - 1];
    if (line.length + 1 + word.length > 112) lines.push(word);
    else lines[lines.length - 1] = line ? `${line} ${word}` : word;
  }
  return `${lines.join("\n")}\n`;
}

/**
 * Where and how the values were measured, in words.
 *
 * @param {Data} question
 */
function sourceText({ machine, adapter, versions, command, date }) {
  /**
   * @param {string} what
   * @param {string} text
   * @param {(text: string) => string} write
   */
  const known = (what, text, write) => (text.startsWith("not recorded") ? `${what} ${text}` : write(text));
  const commands = command.map((one) => known("command", one, () => `\`${one}\``));
  return [machine, adapter, versions, known("date", date, () => date), ...commands]
    .filter(Boolean)
    .join("; ");
}

/** @param {Data} question */
function questionText(question) {
  const { title, unit, columns, rows, labels, notes, raw, plots } = question;
  const cells = rows.map((row) => row.map((cell) => cell ?? ""));
  return [
    `### ${title}\n`,
    wrapped(`${unit}. ${sourceText(question)}.`),
    markdownTable(columns, cells, labels),
    ...(notes.length > 0 ? [wrapped(notes.join(" "))] : []),
    ...(raw.length > 0 ? [`Raw: ${raw.map((one) => `[${one}](docs/benchmarks/${one})`).join(", ")}.\n`] : []),
    ...plots.map((one) => `![Time and throughput against the number of keys](${one})\n`),
  ].join("\n");
}

/**
 * The anchor of a heading, as GitHub makes it.
 *
 * @param {string} heading
 */
const anchor = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

const INTRODUCTION = `# Benchmarks

<!-- Written by scripts/benchmarks_page.js from docs/benchmarks/: change the files there. -->

Each table answers one question about gpusort 0.1.0. The lines above it say what the values are, and on which
machine, with which versions, when and by which command they were measured, or that this was not recorded.
Times are medians unless these lines say otherwise, and GPU times come from timestamp queries; \`~\` marks
medians known less well than ±2%, \`*\` times that moved meanwhile. Distributions are those of \`gpusort gen
--dist\`: a key of \`few\` has one of 16 values. \`webgpu\` is the package with Dawn. A GPU host has 16 cores of
an Intel Xeon unless its table says otherwise, the CPU box two cores of an AMD EPYC or an Intel Xeon, both with
AVX-512.

[performance](docs/performance.md) explains the most important figures, [benchmark](docs/benchmark.md) how to
measure, and the notes on [kernels](docs/notes/kernels.md), [the CPU](docs/notes/cpu.md),
[files](docs/notes/files.md) and [rows](docs/notes/rows.md) what was tried.
[docs/benchmarks](docs/benchmarks/README.md) holds the data of this page, and raw results.
`;

/**
 * The page, in Markdown.
 *
 * @param {Map<string, Data>} questions
 */
export function benchmarksPage(questions) {
  const contents = Object.keys(SECTIONS).map((name) => `- [${name}](#${anchor(name)})\n`);
  const sections = Object.entries(SECTIONS).map(([name, files]) =>
    [`## ${name}\n`, ...files.flatMap((file) => questions.get(file) ?? []).map(questionText)].join("\n"),
  );
  return [INTRODUCTION, contents.join(""), ...sections].join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(document, benchmarksPage(readQuestions()));
}
