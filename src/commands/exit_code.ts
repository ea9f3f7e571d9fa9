/** 1 says "not in order" and nothing else, so that a script can tell it from an error. */
export const ExitCode = { done: 0, notSorted: 1, error: 2, slower: 5 } as const;
