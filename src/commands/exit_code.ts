/**
 * 1 says "not in order" and nothing else, so that a script can tell it from an error. Only tasks of a job end
 * with 3 and 4, which tell an engine to try again.
 */
export const ExitCode = { done: 0, notSorted: 1, error: 2, device: 3, storage: 4, slower: 5 } as const;
