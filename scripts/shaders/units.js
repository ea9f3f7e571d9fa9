/**
 * Reads the WGSL of wgsl/ and checks its contracts.
 *
 * A file with an entry point (@compute) is a kernel, any other file a module. Both are named by their file, in
 * whatever folder it is.
 *
 * A file declares what it needs by directives. These lines are removed before the WGSL is compiled:
 *
 *     #import grid                   the module grid.wgsl
 *     #import written_keys/all       the same, as it is in programs that give the slot of its name this variant
 *     #constant TILE_BITS  // log2   a whole number that the program sets
 *     #enable subgroups              a WGSL extension
 *     #if key/32                     what follows is for programs that give the slot `key` the variant 32
 *     #elif key/8|16                 or one of these
 *     #else                          or none of these
 *     #end
 *     #unroll                        before a loop: see src/core/shaders/link.ts, which removes it
 *
 * A program gives each slot one variant, or none where all of its files do without: by #else, or by an #if that
 * has neither #else nor #elif. Between #if and #end may be anything: other directives, declarations,
 * statements, and #if again.
 *
 * A folder is a family, but for shared/. Kernels of a family are loaded together, with the modules of its
 * folder and those of shared/ that only they import. So kernels that the same plans use should be of one family.
 * wgsl/msd/remap/ is a family that is loaded besides msd, and shares what msd imports. Kernels of other
 * families may import a module of a family for some variants only: the family is then loaded for these.
 *
 * An import gives a file all names that the module declares. It is an error to use a name that neither the
 * file nor an import declares, to import a module without using it, to list a constant without using it, and
 * to use a name that the module declares for some other variants only.
 */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join, posix } from "node:path";

/**
 * @typedef {object} Condition that a program gives a slot one of some variants, or none of them
 * @property {string} slot
 * @property {string[]} [is]
 * @property {string[]} [isNot]
 *
 * @typedef {object} Section some lines of a file, which follow each other
 * @property {string} source its WGSL without directives and comments, with the line breaks of the file
 * @property {string[]} imports names of modules, or "module/variant"
 * @property {string[]} constants
 * @property {string[]} enables
 * @property {Condition[]} when all of which must hold
 *
 * @typedef {object} Unit a kernel or a module
 * @property {string} path below wgsl/, with the extension
 * @property {Section[]} sections
 * @property {Set<string>} required slots that each program must name, as some lines are for none without it
 * @property {string | undefined} family its folder; undefined for a module of shared/
 *
 * @typedef {Map<string, string | undefined>} Variants by slot; undefined is none of those that the file names
 *
 * @typedef {object} Reading a file as programs of some variants have it
 * @property {Variants} variants
 * @property {string[]} imports
 * @property {string[]} constants
 * @property {Set<string>} declared names that it declares at its top level
 * @property {Set<string>} used names that it uses and does not declare
 *
 * @typedef {Map<string, Unit>} Modules what kernels import, by name
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
  /** @typedef {{ slot: string, names: string[], own: string[], isOver: boolean }} Chain */
  /** @type {Chain[]} */
  const open = [];
  /** @type {Section[]} */
  const sections = [];
  const required = new Set();
  /** @param {Condition[]} when */
  const begin = (when) => sections.push({ source: "", imports: [], constants: [], enables: [], when });
  /** @param {Chain} chain */
  const conditionOf = ({ slot, names, own, isOver }) => (isOver ? { slot, isNot: names } : { slot, is: own });
  begin([]);
  const lines = text.split("\n");
  lines.forEach((line, i) => {
    const end = i + 1 < lines.length ? "\n" : "";
    /** @param {string} what */
    const failure = (what) => new SyntaxError(`${path}:${i + 1}: ${what}`);
    const [, kind, name] = DIRECTIVE.exec(line) ?? [];
    const section = /** @type {Section} */ (sections.at(-1));
    section.source += (kind ? "" : line.replace(/\s*\/\/.*/, "")) + end;
    if (!kind) {
      if (line.startsWith("#")) throw failure(`'${line}' is not a directive`);
      return;
    }
    const [slot, variant] = name?.split("/") ?? [];
    const needsVariant = kind === "if" || kind === "elif";
    if (needsVariant ? !variant : (name === undefined) !== (kind === "else" || kind === "end")) {
      throw failure(`'${line}' is not a directive`);
    }
    if (kind === "import" || kind === "constant" || kind === "enable") {
      const list = section[`${kind}s`];
      if (list.includes(name)) throw failure(`${name} is listed twice`);
      list.push(name);
    } else {
      const chain = open.at(-1);
      const own = variant?.split("|");
      if (kind === "if") open.push({ slot, names: own, own, isOver: false });
      else if (!chain || (chain.isOver && kind !== "end")) throw failure(`#${kind} without #if`);
      else if (kind === "elif") {
        if (slot !== chain.slot) throw failure(`${slot} is not the slot of the #if`);
        Object.assign(chain, { names: [...chain.names, ...own], own });
      } else if (kind === "else") chain.isOver = true;
      else {
        open.pop();
        const isAlone = chain.names === chain.own;
        // An #if alone does without the slot.
        if (!chain.isOver && isAlone)
          begin([...open.map(conditionOf), { slot: chain.slot, isNot: chain.names }]);
        if (!chain.isOver && !isAlone && open.length === 0) required.add(chain.slot);
      }
      begin(open.map(conditionOf));
    }
  });
  if (open.length > 0) throw new SyntaxError(`${path}: #end is missing`);
  const folder = posix.dirname(path);
  return { path, sections, required, family: folder === "shared" ? undefined : folder };
}

const DIRECTIVE =
  /^#(import|constant|enable|if|elif|else|end)(?:\s+(\w+(?:\/\w+(?:\|\w+)*)?))?\s*(?:\/\/.*)?$/;

/**
 * @param {Condition} condition
 * @param {Variants} variants
 */
function holds({ slot, is, isNot }, variants) {
  const variant = variants.get(slot);
  const isNamed = variant !== undefined && (is ?? isNot ?? []).includes(variant);
  return is ? isNamed : !isNamed;
}

/** @type {WeakMap<Unit, Reading[]>} */
const readings = new WeakMap();

/**
 * A file as programs of all variants have it, with the variants of the slots on which that depends.
 *
 * @param {Unit} unit
 * @returns {Reading[]}
 */
export function readingsOf(unit) {
  const known = readings.get(unit);
  if (known) return known;
  /** @type {Variants[]} */
  let all = [new Map()];
  for (const [slot, { names, mayBeNone }] of slotsOf(unit)) {
    const variants = [...names, ...(mayBeNone ? [undefined] : [])];
    all = all.flatMap((one) => variants.map((variant) => new Map([...one, [slot, variant]])));
  }
  const read = all.map((variants) => {
    const tested = new Set();
    const sections = unit.sections.filter(({ when }) =>
      when.every((one) => {
        tested.add(one.slot);
        return holds(one, variants);
      }),
    );
    return {
      variants: new Map([...variants].filter(([slot]) => tested.has(slot))),
      imports: [...new Set(sections.flatMap(({ imports }) => imports))],
      constants: [...new Set(sections.flatMap(({ constants }) => constants))],
      ...namesOf(sections.map(({ source }) => source).join("")),
    };
  });
  readings.set(unit, read);
  return read;
}

/**
 * The slots of a file: the variants that it names, and whether a program may give another or none.
 *
 * @param {Unit} unit
 */
export function slotsOf({ sections, required }) {
  /** @type {Map<string, { names: Set<string>, mayBeNone: boolean }>} */
  const slots = new Map();
  for (const { slot, is, isNot } of sections.flatMap(({ when }) => when)) {
    const known = slots.get(slot) ?? { names: new Set(), mayBeNone: false };
    for (const name of is ?? isNot ?? []) known.names.add(name);
    const mayBeNone = !required.has(slot) && (known.mayBeNone || isNot !== undefined);
    slots.set(slot, { names: known.names, mayBeNone });
  }
  return slots;
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

/**
 * Reads the kernels and the modules of a folder and of those in it, by name.
 *
 * @param {string} folder
 * @returns {{ kernels: Map<string, Unit>, modules: Modules }}
 */
export function readUnits(folder) {
  const kernels = new Map();
  const modules = new Map();
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".wgsl"),
  );
  for (const file of files.sort(byName)) {
    const path = file.replaceAll("\\", "/");
    const name = posix.basename(path, ".wgsl");
    if (kernels.has(name) || modules.has(name))
      throw new SyntaxError(`wgsl/${path}: two files have this name`);
    const text = readFileSync(join(folder, file), "utf8");
    (text.includes("@compute") ? kernels : modules).set(name, parseUnit(path, text));
  }
  return { kernels, modules };
}

/**
 * Orders paths by the names of their files.
 *
 * @param {string} a
 * @param {string} b
 */
const byName = (a, b) => (basename(a) < basename(b) ? -1 : 1);
