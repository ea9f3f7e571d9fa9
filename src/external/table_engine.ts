import { elementType } from "../core/elements.js";
import { Sorter } from "../core/sorter/sorter.js";
import { openFastest } from "../profile/open.js";
import type { Argsort } from "../tables/key_codes.js";
import type { SortFileOptions } from "./sort_options.js";
import type { Strategy } from "./strategy.js";

/** What sorts the keys of tables. */
export interface TableEngine {
  readonly device: string;
  readonly argsort: Argsort;
  /** Closes the engine, unless the caller gave it. */
  close(): void;
}

/**
 * Opens the device that the options name, and tells the caller of it.
 *
 * @param rowCount the rows that are sorted at once.
 * @throws as `openFastest` does.
 */
export async function openTableEngine(
  options: SortFileOptions,
  rowCount: number,
  strategy: Strategy,
): Promise<TableEngine> {
  const { engine, device = "auto", algorithm = "auto", openDevice, threads, signal } = options;
  const task = { type: elementType("u64"), keyCount: rowCount, algorithm };
  const opened = engine
    ? { ...engine, choice: { reason: "asked" } as const }
    : await openFastest(device, task, { openDevice, threads });
  const close = () => {
    if (!engine) opened.engine.close();
  };
  try {
    options.onDecision?.({
      device: opened.engine.device,
      threads: opened.engine.threads,
      deviceChoice: opened.choice,
      shaderCache: opened.device?.shaderCache,
      notice: opened.notice,
      strategy,
    });
    const sorter = new Sorter({ engine: opened.engine });
    const verify = options.verify !== false;
    return {
      device: opened.engine.device,
      argsort: (keys) => sorter.argsort(keys, { verify, signal }),
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}
