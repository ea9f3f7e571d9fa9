/**
 * A part of a name that no other file has: 12 hexadecimal digits. It keeps no secret: who uses it must create
 * the file anew ("wx"). So it needs no node:crypto, which takes 4 ms to load.
 */
export function randomName(): string {
  return Math.floor(Math.random() * 2 ** 48)
    .toString(16)
    .padStart(12, "0");
}
