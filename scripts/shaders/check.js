/**
 * Checks that what a file of wgsl/ names, it or its imports declare, for programs of all variants.
 */
import { readingsOf, slotsOf } from "./units.js";

/**
 * @typedef {import("./units.js").Unit} Unit
 * @typedef {import("./units.js").Modules} Modules
 * @typedef {import("./units.js").Reading} Reading
 * @typedef {import("./units.js").Variants} Variants
 */

/**
 * The readings of an imported module that a program may have together with some variants.
 *
 * @param {Modules} modules
 * @param {string} imported
 * @param {Unit} importer
 * @param {Variants} variants of the importer
 */
function candidates(modules, imported, importer, variants) {
  const [name, variant] = imported.split("/");
  const unit = modules.get(name);
  if (!unit) return [];
  const chosen = variant ? new Map([...variants, [name, variant]]) : variants;
  const [known, slots] = [slotsOf(importer), slotsOf(unit)];
  return readingsOf(unit).filter((reading) =>
    [...reading.variants].every(([slot, own]) => {
      if (!chosen.has(slot)) return true;
      const variant = chosen.get(slot);
      if (variant === undefined) return own === undefined || !known.get(slot)?.names.has(own);
      return slots.get(slot)?.names.has(variant) ? own === variant : own === undefined;
    }),
  );
}

/**
 * @param {Unit} unit
 * @param {Modules} modules
 * @throws SyntaxError if a unit breaks its contract.
 */
export function checkUnit(unit, modules) {
  for (const reading of readingsOf(unit)) checkReading(unit, reading, modules);
}

/**
 * @param {Unit} unit
 * @param {Reading} reading
 * @param {Modules} modules
 */
function checkReading(unit, { variants, imports, constants, used }, modules) {
  const { path } = unit;
  /** @type {Map<string, string>} what declares each name */
  const declarers = new Map();
  for (const name of imports) {
    const units = candidates(modules, name, unit, variants);
    if (!modules.has(name.split("/")[0])) {
      throw new SyntaxError(`wgsl/${path} imports ${name}, which does not exist`);
    }
    // No program has these variants, as the module needs others.
    if (units.length === 0) return;
    const common = [...units[0].declared].filter((one) => units.every(({ declared }) => declared.has(one)));
    const all = new Set(units.flatMap(({ declared }) => [...declared]));
    for (const one of all) if (!common.includes(one) && used.has(one)) declarers.set(one, `some of ${name}`);
    for (const one of common) declarers.set(one, name);
    if (!common.some((one) => used.has(one))) {
      throw new SyntaxError(`wgsl/${path} imports ${name} but uses nothing of it`);
    }
  }
  for (const name of used) {
    if (constants.includes(name)) continue;
    const from = declarers.get(name);
    if (from === undefined) {
      throw new SyntaxError(`wgsl/${path} uses ${name}, which neither it nor its imports declare`);
    }
    if (from.startsWith("some of")) {
      throw new SyntaxError(`wgsl/${path} uses ${name}, which only ${from}'s variants declare`);
    }
  }
  for (const name of constants) {
    if (!used.has(name))
      throw new SyntaxError(`wgsl/${path} lists ${name} as a constant but does not use it`);
  }
}
