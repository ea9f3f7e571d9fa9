/**
 * The bytes of workgroup memory that WGSL declares, as WebGPU adds them up: each variable takes a multiple of 16.
 * It knows types of words and arrays of them. Others, such as aliases and structs, must be given with their bytes.
 */
export function workgroupBytes(code: string, types: Readonly<Record<string, number>>): number {
  const constants = new Map<string, number>();
  for (const [, name, value] of code.matchAll(/^const (\w+)(?:: u32)? = ([^;]+);/gm)) {
    const number = numberOf(value!, constants);
    if (number !== undefined) constants.set(name!, number);
  }
  const bytesOf = (type: string): number => {
    const array = /^array<(.*), ([^,]+)>$/.exec(type);
    const found = array
      ? bytesOf(array[1]!) * (numberOf(array[2]!, constants) ?? Number.NaN)
      : { u32: 4, "atomic<u32>": 4, ...types }[type];
    if (found === undefined || Number.isNaN(found)) throw new Error(`no bytes of the type ${type}`);
    return found;
  };
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
    .replace(/\b(\d+)u\b/g, "$1");
  if (!/^[\d\s()+*/<-]+$/.test(plain)) return undefined;
  return new Function(`return Math.floor(${plain})`)() as number;
}
