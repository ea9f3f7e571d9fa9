/**
 * Does the same work for numbers from 0, some of them ahead.
 *
 * @param atOnce how many may be under way.
 * @returns the numbers in order, each with what gives its result or throws its error.
 */
export async function* ahead<T>(
  count: number,
  atOnce: () => number,
  work: (i: number) => Promise<T>,
): AsyncGenerator<readonly [i: number, result: () => T]> {
  const underWay: Promise<() => T>[] = [];
  const begin = (i: number) =>
    work(i).then(
      (result) => () => result,
      (error) => () => {
        throw error;
      },
    );
  let begun = 0;
  for (let i = 0; i < count; i++) {
    while (begun < count && underWay.length < atOnce()) underWay.push(begin(begun++));
    yield [i, await underWay.shift()!];
  }
}
