import { lchownSync } from "node:fs";
import { needs } from "./needs.js";

/** A user who is neither this process's nor root: "nobody". */
const OTHER = 65_534;

/** Whether this process may give files to another user. Only root may. */
export const mayGiveAway = process.getuid?.() === 0;
/** How tests that give files away are declared. */
export const asRoot = needs(mayGiveAway, "root");

/** Gives a file or a folder to another user. A link is given itself. */
export function giveAway(path: string): void {
  lchownSync(path, OTHER, OTHER);
}
