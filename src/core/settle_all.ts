/**
 * Waits until all promises have ended, even if one fails, because what they use may be freed afterwards.
 *
 * @returns their values.
 * @throws the reason of the first in the list that failed.
 */
export async function settleAll<T extends readonly unknown[]>(
  promises: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  const outcomes = await Promise.allSettled(promises);
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  return Promise.all(promises) as Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }>;
}
