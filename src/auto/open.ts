import { availableParallelism } from "node:os";
import type { ElementType } from "../core/elements.js";
import { DeviceError } from "../core/errors.js";
import { mayHaveGpu } from "../dawn/gpu_files.js";
import { type EngineOptions, type OpenedEngine, openEngine } from "../dawn/open_engine.js";
import { type Estimate, estimate, gpuFromBytes } from "./estimate.js";

/** The properties of a sort that the choice of its device depends on. */
export interface SortRequest {
  /** Undefined for records. */
  readonly type: ElementType | undefined;
  /**
   * The number of keys, or a number that it cannot exceed; undefined if only the end of the input shows it.
   */
  readonly keyCount: number | undefined;
  readonly algorithm: string;
}

export interface OpenedFastest extends OpenedEngine {
  /** Why this engine was chosen. */
  readonly choice: DeviceChoice;
}

/** Why a sort runs on its device. `reason` tells the cases apart. */
export type DeviceChoice =
  | {
      /** The caller named a device or an algorithm, or passed an engine. */
      readonly reason: "asked";
    }
  | {
      /** Rows of text are sorted on the CPU. */
      readonly reason: "rows";
      /** What kept them from a device, in words that follow "as"; undefined if nothing did. */
      readonly why?: string | undefined;
    }
  | ({
      /** The device that is likely to sort this number of rows of text faster. */
      readonly reason: "rows estimate";
    } & Estimate)
  | {
      /**
       * Records are sorted on the CPU, as are keys with their indices, where indices alone are not what is
       * sorted.
       */
      readonly reason: "records";
    }
  | {
      /** Tables are sorted by DuckDB, on the CPU. */
      readonly reason: "tables";
    }
  | {
      /** The CPU, because the number of keys is not known. It sorts them as fast as they come. */
      readonly reason: "unknown";
    }
  | {
      /** The CPU, because it sorts so few keys in less time than it takes to open a device. */
      readonly reason: "few keys";
      /** The number of keys, or a number that it cannot exceed. */
      readonly keyCount: number;
    }
  | {
      /** The CPU, because this machine has no GPU, or none that opens. */
      readonly reason: "no GPU";
      /** Why a GPU did not open, if one was tried. */
      readonly problem?: string | undefined;
    }
  | ({
      /** The device that is likely to be faster. */
      readonly reason: "estimate";
      /** The element type that the estimate is for. */
      readonly type: string;
    } & Estimate);

/**
 * Below this number of keys, `auto` takes the CPU. It sorts them in less than 0.1 s, and a GPU takes longer
 * to open.
 */
export const FEW_KEYS = 2 ** 22;

export interface OpenFastestOptions extends EngineOptions {
  /** Called before each step that takes a while, with its name: "opening …". */
  readonly onStep?: ((step: string) => void) | undefined;
  /** Opens the engine that was chosen. Default: the function `openEngine`. */
  readonly open?: typeof openEngine | undefined;
  /** Whether this machine may have a GPU, instead of a look at its device files. */
  readonly mayHaveGpu?: (() => boolean) | undefined;
}

/**
 * Opens the engine that does a sort fastest, if the selector and the algorithm are `auto`. Otherwise opens
 * the engine that the selector names. Records are sorted on the CPU, whatever it names.
 *
 * `auto` takes the CPU or a GPU, but no software adapter: none was faster than the CPU engine. It decides by an
 * estimate, and a sort that the CPU wins does not look for a GPU.
 *
 * @throws the errors of `openEngine`.
 */
export async function openFastest(
  selector: string,
  task: SortRequest,
  {
    onStep = () => {},
    open = openEngine,
    mayHaveGpu: hasGpu = mayHaveGpu,
    ...options
  }: OpenFastestOptions = {},
): Promise<OpenedFastest> {
  const { type } = task;
  if (type === undefined) {
    const isCpu = selector === "auto" || selector === "cpu";
    const notice = isCpu ? undefined : notOnDevice("records", selector);
    return { ...(await open("cpu", options)), notice, choice: { reason: "records" } };
  }
  if (selector !== "auto" || task.algorithm !== "auto") {
    if (selector !== "cpu") onStep(opening(selector));
    return { ...(await open(selector, options)), choice: { reason: "asked" } };
  }
  const onCpu = async (choice: DeviceChoice) => ({ ...(await open("cpu", options)), choice });
  const choice = choose({ ...task, type }, options.threads, hasGpu);
  if (!prefersGpu(choice)) return onCpu(choice);
  onStep(opening("gpu"));
  try {
    return { ...(await open("gpu", options)), choice };
  } catch (error) {
    if (!(error instanceof DeviceError)) throw error;
    return onCpu({ reason: "no GPU", problem: error.message });
  }
}

/** What a user is told whose device does not sort such items. */
export function notOnDevice(items: string, device: string): string {
  return `${items} are sorted on the CPU, not on ${device}`;
}

/** Decides by what is known without opening anything. */
function choose(
  { type, keyCount }: SortRequest & { readonly type: ElementType },
  threads = availableParallelism(),
  hasGpu: () => boolean,
): DeviceChoice {
  if (keyCount === undefined) return { reason: "unknown" };
  if (keyCount < FEW_KEYS) return { reason: "few keys", keyCount };
  if (!hasGpu()) return { reason: "no GPU" };
  return { reason: "estimate", type: type.name, ...estimate(keyCount * type.bytes, threads) };
}

/** What `auto` would choose on this machine. */
export interface AutoChoice {
  /** Whether `auto` looks for a GPU at all. It never takes a software adapter. */
  readonly mayHaveGpu: boolean;
  /** With fewer keys, `auto` takes the CPU and looks for no GPU. */
  readonly cpuBelowKeys: number;
  /** The least bytes of keys for which it takes a GPU. */
  readonly gpuFromBytes: number;
}

/** Says what `auto` would choose, without opening anything. */
export function autoChoice(hasGpu = mayHaveGpu, threads = availableParallelism()): AutoChoice {
  return {
    mayHaveGpu: hasGpu(),
    cpuBelowKeys: FEW_KEYS,
    gpuFromBytes: Math.ceil(gpuFromBytes(threads)),
  };
}

/** Whether a choice is for the GPU. */
function prefersGpu(choice: DeviceChoice): boolean {
  return choice.reason === "estimate" && choice.gpuSeconds < choice.cpuSeconds;
}

/** What is opened, by selectors that name no adapter. */
const openedKinds = new Map([
  ["auto", "an adapter"],
  ["gpu", "a GPU"],
  ["software", "a software adapter"],
]);

/** @param device an adapter's name or a part of it, or a selector for one of several adapters. */
export function opening(device: string): string {
  return `opening ${openedKinds.get(device) ?? device}`;
}

/**
 * Opens each engine once, for sorts that follow each other: a device takes longer to open than to sort a few
 * megabytes, and every engine keeps its memory for the next sort.
 */
export class KeptEngines {
  readonly #opened = new Map<string, Promise<OpenedEngine>>();

  /** As `openEngine`, with the options of the first call for a selector. What failed to open is tried again. */
  readonly open: typeof openEngine = (selector, options) => {
    const kept = this.#opened.get(selector);
    if (kept) return kept;
    const opened = openEngine(selector, options);
    this.#opened.set(selector, opened);
    opened.catch(() => this.#opened.delete(selector));
    return opened;
  };

  async close(): Promise<void> {
    const all = [...this.#opened.values()];
    this.#opened.clear();
    for (const { engine } of await Promise.all(all)) engine.close();
  }
}
