import type { Plan } from "../../src/core/plan/plan.js";
import { shaderSource } from "../../src/core/shaders/linked.js";
import type { Program } from "../../src/core/shaders/program.js";

/** Types of WGSL whose bytes are known. */
const known: Readonly<Record<string, number>> = {
  u32: 4,
  "atomic<u32>": 4,
  vec2u: 8,
  vec2f: 8,
  vec3u: 12,
  vec4u: 16,
};

const measured = new Map<string, Promise<number>>();

/** The bytes of workgroup memory that the WGSL of a program declares, as WebGPU adds them up. */
export function workgroupBytes(program: Program): Promise<number> {
  const key = JSON.stringify(program);
  const bytes = measured.get(key) ?? shaderSource(program).then(declaredBytes);
  measured.set(key, bytes);
  return bytes;
}

/** The most bytes of workgroup memory that a pass of a plan declares. */
export async function mostWorkgroupBytes({ passes }: Plan): Promise<number> {
  return Math.max(...(await Promise.all(passes.map(({ program }) => workgroupBytes(program)))));
}

/** The bytes of all variables of workgroups in WGSL: each takes a multiple of 16. */
function declaredBytes(code: string): number {
  const constants = new Map<string, number>();
  for (const [, name, value] of code.matchAll(/^const (\w+)(?:: \w+)? = ([^;]+);/gm)) {
    const number = numberOf(value!, constants);
    if (number !== undefined) constants.set(name!, number);
  }
  // Members of structures in workgroup memory are words.
  const structures = new Map(
    [...code.matchAll(/^struct (\w+) \{([^}]*)\}/gm)].map(([, name, members]) => [
      name,
      4 * members!.split(":").length - 4,
    ]),
  );
  const aliases = new Map([...code.matchAll(/^alias (\w+) = (.*);/gm)].map(([, name, type]) => [name, type]));
  const bytesOf = (type: string): number => {
    const alias = aliases.get(type);
    if (alias) return bytesOf(alias);
    const [, element, length] = /^array<(.*?), (select\(.*\)|[^,]+)>$/.exec(type) ?? [];
    // An element of three components takes the place of four.
    const bytes = element
      ? (isVec3(element) ? 16 : bytesOf(element)) * (numberOf(length!, constants) ?? Number.NaN)
      : (known[type] ?? structures.get(type));
    if (bytes === undefined || Number.isNaN(bytes)) throw new Error(`no bytes of the type ${type}`);
    return bytes;
  };
  const isVec3 = (type: string) => (aliases.get(type) ?? type) === "vec3u";
  let sum = 0;
  for (const [, type] of code.matchAll(/^var<workgroup> \w+: ([^;]+);/gm)) {
    sum += 16 * Math.ceil(bytesOf(type!) / 16);
  }
  return sum;
}

/** The value of an expression of whole numbers; undefined if it has anything else. */
function numberOf(expression: string, constants: ReadonlyMap<string, number>): number | undefined {
  const plain = expression
    .replace(/\b[A-Z][A-Z0-9_]*\b/g, (name) => String(constants.get(name) ?? name))
    .replace(/\b(\d+)u\b/g, "$1")
    .replace(/\b(?:true|false)\b/g, (word) => (word === "true" ? "1" : "0"))
    .replace(/select\(([^,]+), ([^,]+), ([^,]+)\)/g, "(($3) ? ($2) : ($1))");
  if (!/^[\d\s()+*/<>?:!=-]+$/.test(plain)) return undefined;
  return Math.floor(Number(new Function(`return ${plain}`)()));
}
