/**
 * Reads the WGSL of wgsl/ and checks its contracts.
 *
 * A file declares what it needs by directives. These lines are removed before the WGSL is compiled:
 *
 *     #import grid                   the module wgsl/shared/grid.wgsl
 *     #import key                    the slot wgsl/shared/key/, of which a program names one variant
 *     #import key_range/32           one variant of a slot
 *     #constant TILE_BITS  // log2   a whole number that the program sets
 *     #enable subgroups              a WGSL extension
 *     #family radix                  the family of a kernel; default: its name up to the first "_"
 *     #family msd/remap              a family that is loaded besides msd, and shares what msd imports
 *     #unroll                        before a loop: see src/core/shaders/link.ts, which removes it
 *     #default                       what follows is what programs get that leave the slot out
 *
 * Kernels of a family are loaded together, in one file with the modules that only they import. So kernels that
 * the same plans use should be of one family. The variant of a slot may have a family too: it is then loaded
 * only for programs that name it.
 *
 * The file of one variant of a slot may end with `#default` and another variant, with directives of its own,
 * which does nothing. Programs that leave the slot out get it.
 *
 * An import gives a file all names that the module declares. It is an error to use a name that neither the
 * file nor an import declares, to import a module without using it, to list a constant without using it, and
 * to use a name that only some variants of a slot declare.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
// @ts-expect-error: the module has no declarations of its own.
import { WgslReflect as Untyped } from "wgsl_reflect/wgsl_reflect.module.js";

/** @type {typeof import("wgsl_reflect").WgslReflect} */
const WgslReflect = Untyped;

/**
 * @typedef {object} Unit a kernel or a module
 * @property {string} path below wgsl/, with the extension
 * @property {string} source its WGSL without directives and comments, with the line breaks of the file
 * @property {string[]} imports names of modules and of slots
 * @property {string[]} constants
 * @property {string[]} enables
 * @property {string | undefined} family of a kernel; a module is of those that import it, unless it has one
 * @property {Set<string>} declared names that it declares at its top level
 * @property {Set<string>} used names that it uses and does not declare
 *
 * @typedef {object} Shared what kernels import
 * @property {Map<string, Unit>} modules
 * @property {Map<string, string[]>} slots
 */

const NAME = /[A-Za-z_][A-Za-z0-9_]*/;

/** WGSL's own words: keywords, types, values of attributes, and builtin functions. */
export const BUILTIN = new Set(
  [
    "alias break case const const_assert continue continuing default diagnostic discard else enable false",
    "fn for if let loop override requires return struct switch true var while function private storage",
    "uniform workgroup read write read_write bool f16 f32 i32 u32 array atomic ptr sampler texture_2d",
    "texture_storage_2d rgba8unorm r32float rgba32float vec2 vec3 vec4 vec2u vec3u vec4u vec2i vec3i",
    "vec4i vec2f vec3f vec4f mat2x2f mat3x3f mat4x4f bitcast abs all any ceil clamp cos countLeadingZeros",
    "countOneBits countTrailingZeros distance dot exp extractBits firstLeadingBit firstTrailingBit floor",
    "fract inverseSqrt length log log2 max min pow reverseBits round select sign sin sqrt step tan trunc",
    "unpack4xU8 pack4xU8 insertBits arrayLength atomicAdd atomicAnd atomicExchange atomicLoad atomicMax",
    "atomicMin atomicOr atomicStore atomicSub atomicXor atomicCompareExchangeWeak workgroupBarrier",
    "storageBarrier textureBarrier workgroupUniformLoad textureDimensions textureLoad textureSampleLevel",
    "textureStore subgroupAdd subgroupAll subgroupAny subgroupBallot subgroupBroadcast",
    "subgroupBroadcastFirst subgroupElect subgroupExclusiveAdd subgroupInclusiveAdd subgroupMax",
    "subgroupMin subgroupOr subgroupShuffle subgroupShuffleDown subgroupShuffleUp subgroupShuffleXor",
    "subgroupXor workgroup_size",
  ].flatMap((line) => line.split(" ")),
);

/**
 * @param {string} path
 * @param {string} text
 * @returns {Unit}
 */
export function parseUnit(path, text) {
  /** @type {Record<string, string[]>} */
  const lists = { import: [], constant: [], enable: [], family: [] };
  const { import: imports, constant: constants, enable: enables, family: families } = lists;
  const lines = text.split("\n").map((line, i) => {
    const directive = /^#(\w+)\s+(\w+(?:\/\w+)?)\s*(?:\/\/.*)?$/.exec(line);
    if (line.startsWith("#") && (!directive || !(directive[1] in lists))) {
      throw new SyntaxError(`${path}:${i + 1}: '${line}' is not a directive`);
    }
    if (directive) {
      const [, kind, name] = directive;
      if (lists[kind].includes(name)) throw new SyntaxError(`${path}:${i + 1}: ${name} is listed twice`);
      lists[kind].push(name);
      return "";
    }
    return line.replace(/\s*\/\/.*/, "");
  });
  const isModule = path.startsWith("shared/");
  const isVariant = isModule && path.split("/").length > 2;
  if (families.length > (isModule && !isVariant ? 0 : 1)) {
    const rule = "a kernel or a variant has one family, another module has none";
    throw new SyntaxError(`${path}: #family ${families.at(-1)}: ${rule}`);
  }
  const source = lines.join("\n");
  const family = families[0] ?? (isModule ? undefined : basename(path, ".wgsl").split("_")[0]);
  return { path, source, imports, constants, enables, family, ...namesOf(source) };
}

/**
 * The names that a text declares at its top level, and those that it uses and does not declare.
 *
 * @param {string} source
 */
function namesOf(source) {
  const text = source.replace(/^ *#unroll$/gm, "");
  const top = topLevel(text);
  const declared = new Set(
    [...top.matchAll(/\b(?:fn|struct|alias|const|override|var(?:<[^>]*>)?)\s+([A-Za-z_]\w*)/g)].map(
      ([, name]) => name,
    ),
  );
  const local = new Set(
    [...text.matchAll(/\b(?:let|const|var(?:<[^>]*>)?)\s+([A-Za-z_]\w*)|([A-Za-z_]\w*)\s*:(?!:)/g)].map(
      ([, a, b]) => a ?? b,
    ),
  );
  const used = new Set();
  for (const { 0: name, index } of text.matchAll(new RegExp(NAME, "g"))) {
    const before = text.slice(0, index).trimEnd().at(-1);
    const previous = text[index - 1];
    if (before === "." || before === "@" || /[0-9]/.test(previous ?? "")) continue;
    if (/@builtin\(\s*$/.test(text.slice(Math.max(0, index - 20), index))) continue;
    if (declared.has(name) || local.has(name) || BUILTIN.has(name)) continue;
    used.add(name);
  }
  return { declared, used };
}

/**
 * The text without the parts in braces.
 *
 * @param {string} text
 */
function topLevel(text) {
  let depth = 0;
  let top = "";
  for (const character of text) {
    if (character === "{") depth++;
    else if (character === "}") depth--;
    else if (depth === 0) top += character;
  }
  return top;
}

/** The name of the variant that programs get which leave a slot out; src/core/shaders/link.ts knows it, too. */
export const DEFAULT = "default";

/**
 * The units of a variant's file, by the names of the variants: its own, and the slot's default if it has that.
 *
 * @param {string} path
 * @param {string} text
 * @returns {[name: string, unit: Unit][]}
 */
export function parseVariants(path, text) {
  const [own, ...defaults] = text.split(/^#default$/m);
  if (defaults.length > 1) throw new SyntaxError(`${path}: #default is there twice`);
  const linesBefore = own.replace(/[^\n]/g, "");
  /** @type {[name: string, unit: Unit][]} */
  const ofDefault = defaults.map((one) => [DEFAULT, parseUnit(path, linesBefore + one)]);
  return [[basename(path, ".wgsl"), parseUnit(path, own)], ...ofDefault];
}

/**
 * Reads all shared modules. `modules` has them by name ("grid") or slot and variant ("key/32"). `slots` has
 * the names of each slot's variants.
 *
 * @param {string} folder
 * @returns {Shared}
 */
export function readShared(folder) {
  const modules = new Map();
  const slots = new Map();
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) =>
    a.name < b.name ? -1 : 1,
  )) {
    if (!entry.isDirectory()) {
      const name = basename(entry.name, ".wgsl");
      modules.set(name, parseUnit(`shared/${entry.name}`, readFileSync(join(folder, entry.name), "utf8")));
      continue;
    }
    const files = readdirSync(join(folder, entry.name)).sort();
    const variants = files.flatMap((file) =>
      parseVariants(`shared/${entry.name}/${file}`, readFileSync(join(folder, entry.name, file), "utf8")),
    );
    const names = variants.map(([name]) => name);
    if (new Set(names).size < names.length) {
      throw new SyntaxError(`several files of wgsl/shared/${entry.name} have a #default`);
    }
    slots.set(entry.name, names);
    for (const [name, unit] of variants) modules.set(`${entry.name}/${name}`, unit);
  }
  return { modules, slots };
}

/**
 * Reads the kernels of a folder, by name.
 *
 * @param {string} folder
 * @param {string} prefix
 * @returns {Map<string, Unit>}
 */
export function readKernels(folder, prefix) {
  if (!existsSync(folder)) return new Map();
  const files = readdirSync(folder).filter((file) => file.endsWith(".wgsl"));
  return new Map(
    files
      .sort()
      .map((file) => [
        basename(file, ".wgsl"),
        parseUnit(prefix + file, readFileSync(join(folder, file), "utf8")),
      ]),
  );
}

/**
 * @param {Map<string, Unit>} modules
 * @param {string} name of one of them
 */
const unitNamed = (modules, name) => /** @type {Unit} */ (modules.get(name));

/**
 * The units that an imported name may stand for: a module, or all variants of a slot.
 *
 * @param {Shared} shared
 * @param {string} name
 * @returns {Unit[]}
 */
function candidates({ modules, slots }, name) {
  const variants = slots.get(name);
  if (variants) return variants.map((variant) => unitNamed(modules, `${name}/${variant}`));
  const module = modules.get(name);
  return module ? [module] : [];
}

/**
 * @param {Unit} unit
 * @param {Shared} shared
 * @throws SyntaxError if a unit breaks its contract.
 */
export function checkUnit(unit, shared) {
  const given = new Map();
  for (const name of unit.imports) {
    const units = candidates(shared, name);
    if (units.length === 0) throw new SyntaxError(`wgsl/${unit.path} imports ${name}, which does not exist`);
    const common = [...units[0].declared].filter((one) => units.every(({ declared }) => declared.has(one)));
    const all = new Set(units.flatMap(({ declared }) => [...declared]));
    for (const one of all) if (!common.includes(one) && unit.used.has(one)) given.set(one, `some of ${name}`);
    for (const one of common) given.set(one, name);
    if (!common.some((one) => unit.used.has(one))) {
      throw new SyntaxError(`wgsl/${unit.path} imports ${name} but uses nothing of it`);
    }
  }
  for (const name of unit.used) {
    if (unit.constants.includes(name)) continue;
    const from = given.get(name);
    if (from === undefined) {
      throw new SyntaxError(`wgsl/${unit.path} uses ${name}, which neither it nor its imports declare`);
    }
    if (from.startsWith("some of")) {
      throw new SyntaxError(`wgsl/${unit.path} uses ${name}, which only ${from}'s variants declare`);
    }
  }
  for (const name of unit.constants) {
    if (!unit.used.has(name))
      throw new SyntaxError(`wgsl/${unit.path} lists ${name} as a constant but does not use it`);
  }
}

/**
 * What a program of the kernel must give: a variant for every slot but the optional ones, which have a default
 * or which only some variants need; the constants that are always needed; and those that only some variants
 * need.
 *
 * @param {Unit} kernel
 * @param {Shared} shared
 */
export function contractOf(kernel, shared) {
  const certain = needsOf(kernel, shared, intersection);
  const possible = needsOf(kernel, shared, union);
  /** @param {string} slot */
  const mayLeaveOut = (slot) =>
    !certain.slots.has(slot) || shared.slots.get(slot)?.includes(DEFAULT) === true;
  return {
    slots: [...possible.slots].sort(),
    optionalSlots: [...possible.slots].filter(mayLeaveOut).sort(),
    constants: [...certain.constants].sort(),
    optional: [...possible.constants].filter((name) => !certain.constants.has(name)).sort(),
  };
}

/**
 * The slots and constants of a unit and its imports.
 *
 * @param {(sets: Set<string>[]) => Set<string>} merge joins the needs of a slot's variants.
 * @param {Unit} unit
 * @param {Shared} shared
 * @returns {{ slots: Set<string>, constants: Set<string> }}
 */
function needsOf(unit, shared, merge) {
  const slots = new Set();
  const constants = new Set(unit.constants);
  /** @param {{ slots: Set<string>, constants: Set<string> }} needs */
  const take = (needs) => {
    for (const slot of needs.slots) slots.add(slot);
    for (const constant of needs.constants) constants.add(constant);
  };
  for (const name of unit.imports) {
    const needs = candidates(shared, name).map((one) => needsOf(one, shared, merge));
    if (shared.slots.has(name)) slots.add(name);
    take({
      slots: merge(needs.map((one) => one.slots)),
      constants: merge(needs.map((one) => one.constants)),
    });
  }
  return { slots, constants };
}

/** @param {Set<string>[]} sets */
const union = (sets) => new Set(sets.flatMap((set) => [...set]));
/** @param {Set<string>[]} sets */
const intersection = ([first, ...others]) =>
  new Set([...first].filter((one) => others.every((set) => set.has(one))));

/**
 * The names of all modules that programs of these kernels may be linked with.
 *
 * @param {Iterable<Unit>} kernels
 * @param {Shared} shared
 */
export function reachableModules(kernels, { modules, slots }) {
  const found = new Set();
  /** @param {Unit} unit */
  const visit = (unit) => {
    for (const name of unit.imports) {
      const names = slots.get(name)?.map((variant) => `${name}/${variant}`) ?? [name];
      for (const one of names) {
        if (found.has(one)) continue;
        found.add(one);
        visit(unitNamed(modules, one));
      }
    }
  };
  for (const kernel of kernels) visit(kernel);
  return [...found].sort();
}

/**
 * Divides kernels by their families. Modules that several families import are common to them; each other module
 * belongs to the family that imports it. What a family such as msd/remap imports as msd does belongs to msd.
 *
 * @param {Map<string, Unit>} kernels
 * @param {Shared} shared
 */
export function familiesOf(kernels, shared) {
  const { modules } = shared;
  const variants = reachableModules(kernels.values(), shared).filter(
    (name) => unitNamed(modules, name).family,
  );
  /** @param {string} name */
  const familyOf = (name) => modules.get(name)?.family;
  /** @type {Map<string, { kernels: Record<string, Unit>, variants: string[], reached: string[] }>} */
  const families = new Map();
  for (const name of [...[...kernels.values()].map(({ family }) => family), ...variants.map(familyOf)]) {
    if (name === undefined || families.has(name)) continue;
    const own = [...kernels].filter(([, { family }]) => family === name);
    const named = variants.filter((one) => familyOf(one) === name);
    /** @param {string} one */
    const isOther = (one) => (familyOf(one) ?? name) !== name;
    const slots = new Map(
      [...shared.slots].map(([slot, all]) => [slot, all.filter((one) => !isOther(`${slot}/${one}`))]),
    );
    const units = [...own.map(([, kernel]) => kernel), ...named.map((one) => unitNamed(modules, one))];
    const reached = new Set([...named, ...reachableModules(units, { modules, slots })]);
    families.set(name, { kernels: Object.fromEntries(own), variants: named, reached: [...reached].sort() });
  }
  /** @param {string} name */
  const baseOf = (name) => (name.includes("/") ? name.split("/")[0] : undefined);
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
 * The layout of the struct that holds a kernel's parameters. Each member has its name in camel case, the word
 * at which it begins (`at`), its kind, and its number of words.
 *
 * The uniform `key_range` (wgsl/shared/known_range/bound.wgsl) has no parameters: another kernel writes it.
 *
 * @param {Unit} kernel
 * @param {Shared} shared
 * @returns undefined for a kernel without a uniform of parameters.
 * @throws SyntaxError if the struct is missing, or if a member is neither u32 nor f32, nor a vector or array
 * of them.
 */
export function paramsOf(kernel, { modules, slots }) {
  const reached = reachableModules([kernel], { modules, slots });
  const units = [kernel, ...reached.map((name) => unitNamed(modules, name))];
  const type = units
    .map(({ source }) => /var<uniform>\s+(?!key_range\b)\w+\s*:\s*(\w+)/.exec(source)?.[1])
    .find(Boolean);
  if (!type) return undefined;
  const text = units
    .map(({ source }) => new RegExp(`struct ${type}\\s*\\{[^}]*\\}`).exec(source)?.[0])
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
