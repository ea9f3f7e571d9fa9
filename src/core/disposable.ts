declare global {
  // Of TypeScript's lib "esnext.disposable", which callers need not have. Equal declarations are merged.
  interface SymbolConstructor {
    readonly dispose: unique symbol;
  }
  interface Disposable {
    [Symbol.dispose](): void;
  }
}

/** What `using` ends. */
export type Ended = Disposable;
