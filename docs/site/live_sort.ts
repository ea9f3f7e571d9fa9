import type { Gpu } from "../../src/core/device/gpu.js";
import { elementType, elementTypes, type KeyArray, type TypeName } from "../../src/core/elements.js";
import { distribution, distributions, generateKeys } from "../../src/testdata/distributions.js";
import { type Contender, contendersFor, openSorters, type Sorters } from "./contenders.js";
import { element, fill, messageOf, say } from "./elements.js";
import { drawn, whileResting } from "./rest.js";

/** How often each contender sorts, besides its first run. */
const ROUNDS = 7;

/** What one contender took. */
export interface Measured {
  readonly name: string;
  readonly isGpusort: boolean;
  /** The run that compiles kernels and starts threads. */
  readonly firstMs: number;
  readonly roundsMs: readonly number[];
  /** Whether the keys are in the same order as TypedArray.prototype.sort puts them; NaNs are alike. */
  readonly same: boolean;
}

const milliseconds = (ms: number) =>
  `${ms.toLocaleString("en", { maximumSignificantDigits: 3, minimumSignificantDigits: 2 })} ms`;
const whole = (count: number) => count.toLocaleString("en");

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}

/** @returns the first index at which two arrays differ, or -1. NaNs are alike. */
function firstDifference(a: KeyArray, b: KeyArray): number {
  for (let i = 0; i < a.length; i++) if (!Object.is(a[i], b[i])) return i;
  return a.length === b.length ? -1 : a.length;
}

/** The section "Sort now". */
export function startLiveSort(gpu: Gpu | undefined, adapter: string): void {
  const form = element("sort-form", HTMLFormElement);
  const exponent = element("sort-exponent", HTMLInputElement);
  const button = form.querySelector("button")!;
  fill(
    "sort-type",
    elementTypes.map(({ name }) => name),
    "f32",
  );
  fillDistributions("f32");
  const type = element("sort-type", HTMLSelectElement);
  type.addEventListener("change", () => fillDistributions(type.value as TypeName));
  const showCount = () => say("sort-count", whole(2 ** exponent.valueAsNumber));
  exponent.addEventListener("input", showCount);
  showCount();

  let sorters: Promise<Sorters> | undefined;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    const chosen = {
      count: 2 ** exponent.valueAsNumber,
      type: type.value as TypeName,
      distribution: element("sort-distribution", HTMLSelectElement).value,
    };
    try {
      sorters ??= openSorters(gpu);
      const opened = await sorters;
      const all = await whileResting(() => measure(chosen, opened));
      show(all, chosen, adapter);
      const wrong = all.filter(({ same }) => !same);
      say("sort-status", wrong.length === 0 ? "All results are the same." : "Results differ: see the table.");
    } catch (error) {
      say("sort-status", `The sort failed: ${messageOf(error)}`);
    } finally {
      button.disabled = false;
    }
  });
  button.disabled = false;
}

function fillDistributions(type: TypeName): void {
  const isFloat = elementType(type).order === "float";
  const names = distributions.filter(({ floatsOnly }) => isFloat || !floatsOnly).map(({ name }) => name);
  const before = element("sort-distribution", HTMLSelectElement).value;
  fill("sort-distribution", names, names.includes(before) ? before : "uniform");
}

interface Chosen {
  readonly count: number;
  readonly type: TypeName;
  readonly distribution: string;
}

async function measure({ count, type, distribution: name }: Chosen, sorters: Sorters): Promise<Measured[]> {
  say("sort-status", "Making keys …");
  await drawn();
  const keys = generateKeys(distribution(name), elementType(type), count, 1);
  const contenders = await contendersFor(keys, type, sorters);
  try {
    const first: number[] = [];
    for (const contender of contenders) {
      say("sort-status", `First sort: ${contender.name} …`);
      await drawn();
      first.push(await contender.run());
    }
    const times = contenders.map((): number[] => []);
    for (let round = 0; round < ROUNDS; round++) {
      say("sort-status", `Round ${round + 1} of ${ROUNDS} …`);
      await drawn();
      for (let turn = 0; turn < contenders.length; turn++) {
        const at = (round + turn) % contenders.length;
        times[at]!.push(await contenders[at]!.run());
      }
    }
    say("sort-status", "Comparing the results …");
    await drawn();
    const expected = await contenders[0]!.result();
    const measured: Measured[] = [];
    for (const [i, contender] of contenders.entries()) {
      const same = firstDifference(expected, await contender.result()) === -1;
      measured.push({ ...summary(contender), firstMs: first[i]!, roundsMs: times[i]!, same });
    }
    return measured;
  } finally {
    for (const contender of contenders) contender.close();
  }
}

const summary = ({ name, isGpusort }: Contender) => ({ name, isGpusort });

function show(all: readonly Measured[], { count, type, distribution: kind }: Chosen, adapter: string): void {
  const medians = all.map(({ roundsMs }) => median(roundsMs));
  const longest = Math.max(...medians);
  say("sort-caption", `${whole(count)} ${type} keys, ${kind}; ${ROUNDS} rounds; ${adapter}`);
  const rows = all.map((one, i) => {
    const ms = medians[i]!;
    const least = Math.min(...one.roundsMs);
    const row = document.createElement("tr");
    if (!one.isGpusort) row.className = "other";
    const name = document.createElement("th");
    name.scope = "row";
    name.append(one.name, bar(ms / longest, least / longest));
    const result = cell("Result", one.same ? "same" : "differs");
    result.className = one.same ? "good" : "bad";
    const ratio = `${(medians[0]! / ms).toLocaleString("en", { maximumSignificantDigits: 2 })}x`;
    const rate = ((1000 * count) / ms).toLocaleString("en", {
      notation: "compact",
      maximumSignificantDigits: 3,
    });
    row.append(
      name,
      cell("Median", milliseconds(ms)),
      cell("Fastest", milliseconds(least)),
      cell("Keys a second", rate),
      cell("Ratio", ratio),
      result,
    );
    return row;
  });
  element("sort-result", HTMLElement)
    .querySelector("tbody")!
    .replaceChildren(...rows);
  const first = all.filter(({ isGpusort }) => isGpusort);
  say("sort-first", first.map(({ name, firstMs }) => `${milliseconds(firstMs)} (${name})`).join(", "));
  const report = {
    date: new Date().toISOString(),
    adapter,
    browser: navigator.userAgent,
    count,
    type,
    distribution: kind,
    contenders: all,
  };
  const link = element("sort-json", HTMLAnchorElement);
  URL.revokeObjectURL(link.href);
  link.href = URL.createObjectURL(new Blob([JSON.stringify(report, null, 2)], { type: "application/json" }));
  element("sort-result", HTMLElement).hidden = false;
}

function cell(label: string, text: string): HTMLTableCellElement {
  const made = document.createElement("td");
  made.dataset.label = label;
  made.textContent = text;
  return made;
}

/** A bar as long as the median, with a tick at the fastest. Both are shares of the longest median. */
function bar(share: number, least: number): HTMLElement {
  const made = document.createElement("span");
  made.className = "bar";
  const [length, tick] = [document.createElement("span"), document.createElement("i")];
  length.style.width = `${100 * share}%`;
  tick.style.left = `${100 * least}%`;
  made.append(length, tick);
  return made;
}
