import { BINDING_ALIGNMENT, type Binding } from "../plan/plan.js";

/** Consecutive elements of a buffer. A buffer over the binding limit is processed window by window. */
export interface Window {
  readonly begin: number;
  readonly count: number;
}

/**
 * Cuts `count` elements into the fewest windows that can each be bound.
 *
 * @param unit every window but the last holds a multiple of this many elements.
 * @param elementBytes the size of the longest element that is bound by these windows.
 * @param maxBytes the maximum size of a binding.
 * @throws RangeError if a binding cannot hold `unit` elements.
 */
export function windowsOf(count: number, unit: number, elementBytes: number, maxBytes: number): Window[] {
  if (count * elementBytes <= maxBytes) return [{ begin: 0, count }];
  const units = Math.floor(maxBytes / elementBytes / unit);
  if (units === 0) {
    throw new RangeError(
      `a binding of ${maxBytes} bytes cannot hold ${unit} elements of ${elementBytes} bytes`,
    );
  }
  const size = units * unit;
  return Array.from({ length: Math.ceil(count / size) }, (_, i) => ({
    begin: i * size,
    count: Math.min(size, count - i * size),
  }));
}

/**
 * The smallest multiple of `unit` and of BINDING_ALIGNMENT. A window that begins at a multiple of this many
 * elements has a byte offset that WebGPU can bind, whatever the size of an element.
 */
export function windowUnit(unit: number): number {
  let aligned = unit;
  while (aligned % BINDING_ALIGNMENT !== 0) aligned += unit;
  return aligned;
}

/**
 * The binding of a window of a buffer. If `whole` is true, the window is the whole buffer, which is bound by
 * its name.
 */
export function bindWindow(
  buffer: string,
  { begin, count }: Window,
  elementBytes: number,
  whole: boolean,
): Binding {
  if (whole) return buffer;
  return { buffer, offset: begin * elementBytes, bytes: Math.ceil((count * elementBytes) / 4) * 4 };
}
