/**
 * What programs of the kernels of wgsl/ must give, and which modules are loaded with them.
 */
// @ts-expect-error: the module has no declarations of its own.
import { WgslReflect as Untyped } from "wgsl_reflect/wgsl_reflect.module.js";
import { readingsOf, slotsOf } from "./units.js";

/** @type {typeof import("wgsl_reflect").WgslReflect} */
const WgslReflect = Untyped;

/**
 * @typedef {import("./units.js").Unit} Unit
 * @typedef {import("./units.js").Modules} Modules
 */

/**
 * What a program of the kernel must give: a variant for every slot but the optional ones, which it may leave
 * out or which only some variants need; the constants that are always needed; and those that only some variants
 * need.
 *
 * @param {Unit} kernel
 * @param {Modules} modules
 */
export function contractOf(kernel, modules) {
  const certain = needsOf(kernel, modules, intersection);
  const possible = needsOf(kernel, modules, union);
  /** @type {Map<string, Set<string>>} */
  const slots = new Map();
  const reached = reachableModules([kernel], modules).map((name) => unitNamed(modules, name));
  for (const [slot, { names }] of [kernel, ...reached].flatMap((unit) => [...slotsOf(unit)])) {
    if (possible.slots.has(slot)) slots.set(slot, union([slots.get(slot) ?? new Set(), names]));
  }
  return {
    slots: new Map(
      [...slots].sort(([a], [b]) => (a < b ? -1 : 1)).map(([slot, names]) => [slot, [...names].sort()]),
    ),
    optionalSlots: [...slots.keys()].filter((slot) => !certain.required.has(slot)).sort(),
    constants: [...certain.constants].sort(),
    optional: [...possible.constants].filter((name) => !certain.constants.has(name)).sort(),
  };
}

/**
 * The slots and constants of a kernel and its imports.
 *
 * @typedef {{ slots: Set<string>, required: Set<string>, constants: Set<string> }} Needs `required` are slots
 *   that a program must not leave out.
 *
 * @param {Unit} kernel
 * @param {Modules} modules
 * @param {(sets: Set<string>[]) => Set<string>} merge joins the needs of variants.
 * @returns {Needs}
 */
function needsOf(kernel, modules, merge) {
  /** @type {Map<string, Needs>} many modules import the same ones */
  const known = new Map();
  /** @param {string} imported the name of a module, or "module/variant" */
  const ofImport = (imported) => {
    const [name, variant] = imported.split("/");
    const needs = known.get(imported) ?? ofUnit(unitNamed(modules, name), name, variant);
    known.set(imported, needs);
    return needs;
  };
  /**
   * @param {Unit} unit
   * @param {string} [chosen] a slot whose variant is known
   * @param {string} [variant]
   * @returns {Needs}
   */
  const ofUnit = (unit, chosen = "", variant) => {
    const slots = slotsOf(unit);
    const isChosen = variant !== undefined && slots.get(chosen)?.names.has(variant);
    const all = readingsOf(unit)
      .filter(({ variants }) => !isChosen || variants.get(chosen) === variant)
      .map(({ imports, constants }) => {
        const imported = imports.map(ofImport);
        return {
          slots: union(imported.map((one) => one.slots)),
          required: union(imported.map((one) => one.required)),
          constants: union([new Set(constants), ...imported.map((one) => one.constants)]),
        };
      });
    const tested = [...slots].filter(([slot]) => variant === undefined || slot !== chosen);
    const required = tested.filter(([, { mayBeNone }]) => !mayBeNone).map(([slot]) => slot);
    return {
      slots: union([new Set(tested.map(([slot]) => slot)), ...all.map((one) => one.slots)]),
      required: union([new Set(required), merge(all.map((one) => one.required))]),
      constants: merge(all.map((one) => one.constants)),
    };
  };
  return ofUnit(kernel);
}

/**
 * @param {Modules} modules
 * @param {string} name of one of them
 */
const unitNamed = (modules, name) => /** @type {Unit} */ (modules.get(name));

/** @param {Set<string>[]} sets */
const union = (sets) => new Set(sets.flatMap((set) => [...set]));
/** @param {Set<string>[]} sets */
const intersection = ([first, ...others]) =>
  new Set([...first].filter((one) => others.every((set) => set.has(one))));

/**
 * The names of all modules that programs of these kernels may be linked with.
 *
 * @param {Iterable<Unit>} units
 * @param {Modules} modules
 * @param {(module: Unit) => boolean} [isLeftOut] whether a module is left out, and what it alone imports
 */
export function reachableModules(units, modules, isLeftOut = () => false) {
  const reached = new Set();
  /** @param {Unit} unit */
  const visit = ({ sections }) => {
    for (const [name] of sections.flatMap(({ imports }) => imports.map((one) => one.split("/")))) {
      const unit = unitNamed(modules, name);
      if (reached.has(name) || isLeftOut(unit)) continue;
      reached.add(name);
      visit(unit);
    }
  };
  for (const unit of units) visit(unit);
  return [...reached].sort();
}

/**
 * Divides kernels by their families. Modules that several families import are common to them; each other module
 * belongs to the family that imports it. What a family such as msd/remap imports as msd does belongs to msd.
 *
 * @param {Map<string, Unit>} kernels
 * @param {Modules} modules
 */
export function familiesOf(kernels, modules) {
  const all = [
    ...kernels.values(),
    ...reachableModules(kernels.values(), modules).map((name) => unitNamed(modules, name)),
  ];
  /** @param {string | undefined} name */
  const baseOf = (name) => (name?.includes("/") ? name.split("/")[0] : undefined);
  /** @type {Map<string, { kernels: Record<string, Unit>, variants: string[], reached: string[] }>} */
  const families = new Map();
  for (const { family: name } of all) {
    if (name === undefined || families.has(name)) continue;
    const own = [...kernels].filter(([, { family }]) => family === name);
    const named = [...modules].filter(([, unit]) => unit.family === name && all.includes(unit));
    /** @param {Unit} unit */
    const isOther = ({ family = name }) => family !== name;
    const reached = reachableModules(
      [...own, ...named].map(([, unit]) => unit),
      modules,
      isOther,
    );
    families.set(name, {
      kernels: Object.fromEntries(own),
      variants: variantsThatImport(
        new Set(named.map(([one]) => one)),
        all.filter(({ family }) => family !== name && baseOf(family) !== name),
      ),
      reached: [...new Set([...named.map(([one]) => one), ...reached])].sort(),
    });
  }
  for (const [name, family] of families) {
    const base = new Set(families.get(baseOf(name) ?? "")?.reached);
    family.reached = family.reached.filter((one) => !base.has(one));
  }
  /** @type {Map<string, number>} */
  const users = new Map();
  for (const { reached } of families.values())
    for (const name of reached) users.set(name, (users.get(name) ?? 0) + 1);
  /** @param {string} name */
  const isCommon = (name) => (users.get(name) ?? 0) > 1;
  /** @param {string[]} names */
  const pick = (names) => Object.fromEntries(names.map((name) => [name, unitNamed(modules, name)]));
  return {
    common: pick([...users.keys()].filter(isCommon).sort()),
    families: new Map(
      [...families].map(([name, { kernels, variants, reached }]) => [
        name,
        {
          kernels,
          variants,
          base: baseOf(name),
          modules: pick(reached.filter((one) => !isCommon(one))),
          usesCommon: reached.some(isCommon),
        },
      ]),
    ),
  };
}

/**
 * The variants, as "slot/variant", for which some of the units import one of these modules.
 *
 * @param {Set<string>} names
 * @param {Unit[]} units
 */
function variantsThatImport(names, units) {
  const importing = new Set();
  for (const { path, sections } of units) {
    for (const { imports, when } of sections) {
      const name = imports.find((one) => names.has(one));
      if (name === undefined) continue;
      const innermost = when.findLast(({ is = [] }) => is.length > 0);
      if (innermost === undefined)
        throw new SyntaxError(`wgsl/${path}: ${name} has a family, so import it after #if`);
      for (const variant of innermost.is ?? []) importing.add(`${innermost.slot}/${variant}`);
    }
  }
  return [...importing].sort();
}

/**
 * The layout of the struct that holds a kernel's parameters. Each member has its name in camel case, the word
 * at which it begins (`at`), its kind, and its number of words.
 *
 * The uniform `key_range` (wgsl/shared/normalization.wgsl) has no parameters: another kernel writes it.
 *
 * @param {Unit} kernel
 * @param {Modules} modules
 * @returns undefined for a kernel without a uniform of parameters.
 * @throws SyntaxError if the struct is missing, or if a member is neither u32 nor f32, nor a vector or array
 * of them.
 */
export function paramsOf(kernel, modules) {
  const reached = reachableModules([kernel], modules).map((name) => unitNamed(modules, name));
  const sources = [kernel, ...reached].map(({ sections }) => sections.map(({ source }) => source).join(""));
  const type = sources
    .map((source) => /var<uniform>\s+(?!key_range\b)\w+\s*:\s*(\w+)/.exec(source)?.[1])
    .find(Boolean);
  if (!type) return undefined;
  const text = sources
    .map((source) => new RegExp(`struct ${type}\\s*\\{[^}]*\\}`).exec(source)?.[0])
    .find(Boolean);
  if (!text) throw new SyntaxError(`wgsl/${kernel.path}: struct ${type} is missing`);
  const [struct] = new WgslReflect(text).structs;
  return {
    name: type,
    words: Math.ceil(struct.size / 4),
    members: struct.members.map((member) => ({
      name: member.name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase()),
      at: member.offset / 4,
      kind: kindOf(member, kernel.path),
      words: member.size / 4,
    })),
  };
}

/**
 * @param {import("wgsl_reflect").MemberInfo} member
 * @param {string} path
 */
function kindOf(member, path) {
  const scalar = /^(?:u32|vec\du)$/.test(leaf(member.type))
    ? "u32"
    : /^(?:f32|vec\df)$/.test(leaf(member.type))
      ? "f32"
      : undefined;
  if (scalar) return scalar;
  throw new SyntaxError(`wgsl/${path}: parameters of type ${member.type.name} are not supported`);
}

/**
 * The type of an array's elements, or the type itself.
 *
 * @param {import("wgsl_reflect").TypeInfo | import("wgsl_reflect").ArrayInfo} type
 * @returns {string}
 */
function leaf(type) {
  return "format" in type ? leaf(type.format) : type.name;
}
