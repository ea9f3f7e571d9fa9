export const ExitCode = { done: 0, notSorted: 1, error: 2 } as const;
