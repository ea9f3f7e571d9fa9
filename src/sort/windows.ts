import { BINDING_ALIGNMENT, type Binding } from "../plan/plan.js";

/** Elements in a row of a buffer that is too long to be bound at once. */
export interface Window {
  readonly begin: number;
  readonly count: number;
}

/**
 * Cuts `count` elements into as few windows as can each be bound.
 *
 * @param unit what a window must hold a whole number of, but for the last.
 * @param elementBytes the longest of the elements that are bound by these windows.
 * @param most bytes of a binding.
 */
export function windowsOf(count: number, unit: number, elementBytes: number, most: number): Window[] {
  if (count * elementBytes <= most) return [{ begin: 0, count }];
  const units = Math.floor(most / elementBytes / unit);
  if (units === 0) throw new RangeError(`${unit} elements of ${elementBytes} bytes cannot be bound at once`);
  const size = units * unit;
  return Array.from({ length: Math.ceil(count / size) }, (_, i) => ({
    begin: i * size,
    count: Math.min(size, count - i * size),
  }));
}

/** Elements that every window must begin at a multiple of, so that its offset is one that WebGPU takes. */
export function windowUnit(unit: number): number {
  let aligned = unit;
  while (aligned % BINDING_ALIGNMENT !== 0) aligned += unit;
  return aligned;
}

/** A window of a buffer as a binding; the whole buffer, by its name, where the window is all of it. */
export function bindWindow(
  buffer: string,
  { begin, count }: Window,
  elementBytes: number,
  whole: boolean,
): Binding {
  if (whole) return buffer;
  return { buffer, offset: begin * elementBytes, bytes: Math.ceil((count * elementBytes) / 4) * 4 };
}
