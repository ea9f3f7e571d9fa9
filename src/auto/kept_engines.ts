import { type OpenedEngine, openEngine } from "../dawn/open_engine.js";

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
