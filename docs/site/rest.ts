/** Animations rest while something is measured, and where the visitor wants less motion. */
let resting = 0;

export const isResting = (): boolean => resting > 0;

/** Runs something while all animations rest. */
export async function whileResting<T>(run: () => Promise<T>): Promise<T> {
  resting++;
  try {
    return await run();
  } finally {
    resting--;
  }
}

/** Whether the visitor's system asks for less motion. */
export const wantsLessMotion = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Lets the browser draw, and answer the visitor. */
export const drawn = (): Promise<void> =>
  new Promise((resolve) => {
    // Hidden pages get no animation frames.
    const timer = setTimeout(resolve, 100);
    requestAnimationFrame(() => {
      clearTimeout(timer);
      setTimeout(resolve);
    });
  });
