/** Runs pieces of work one after the other, in the order in which they are given. After one fails, none runs. */
export function oneByOne(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result;
    result.catch(() => {}); // whoever gave the work hears of it
    return result;
  };
}

export const atOnce = <T>(work: () => Promise<T>): Promise<T> => work();
