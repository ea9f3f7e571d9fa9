// Sorts and argsorts keys of all types, and compares them with what the runtime's own sort makes of them. Runs
// in any runtime. The arguments are the built library's folder and a device: a selector, or "own", the device
// of the runtime's navigator.gpu. Prints one line of JSON.

const [folder, selector] = process.argv.slice(2);
// In Deno, it makes a sort by Dawn on a software adapter seven times as fast.
if (selector !== "cpu") await import("../support/paced_polling.ts");
const load = (path) => import(new URL(path, folder).href);

const SIZES = [0, 1, 1000, 100_000];
/** So many keys of 4 bytes start threads on the CPU. */
const LARGE = 3_000_000;

const arrays = [
  ...[Uint8Array, Int8Array, Uint16Array, Int16Array, Uint32Array, Int32Array, Float32Array],
  ...[BigUint64Array, BigInt64Array, Float64Array],
];

let state = 1;
function randomWord() {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state ^ (state >>> 16);
}

/** Random bits; a third of floats are NaNs of both signs, zeros of both signs, and infinities. */
function randomKeys(array, count, buffer = ArrayBuffer) {
  const bytes = new buffer(Math.ceil((count * array.BYTES_PER_ELEMENT) / 4) * 4);
  const words = new Uint32Array(bytes);
  for (let i = 0; i < words.length; i++) words[i] = randomWord();
  const keys = new array(bytes, 0, count);
  const tops = { Float32Array: [0x7fc00000, 0x7f800000, 0], Float64Array: [0x7ff80000, 0x7ff00000, 0] }[
    array.name
  ];
  const step = array.BYTES_PER_ELEMENT / 4;
  for (let i = 0; tops && i < count; i += 3) {
    for (let word = 0; word < step; word++) words[i * step + word] = 0;
    words[(i + 1) * step - 1] = tops[(i / 3) % 3] | ((i % 2) << 31);
  }
  return keys;
}

function requireSame(actual, expected, what) {
  const { length } = expected;
  if (actual.length !== length) throw new Error(`${what}: ${actual.length} keys`);
  const at = actual.findIndex((key, i) => !Object.is(key, expected[i]));
  if (at >= 0) throw new Error(`${what}: at ${at} is ${actual[at]}, not ${expected[at]}`);
}

/** Keys in their order, and indices of equal keys that ascend: so no index is there twice. */
function requireOrder(order, keys, expected, what) {
  requireSame(
    keys.constructor.from(order, (index) => keys[index]),
    expected,
    what,
  );
  const at = order.findIndex(
    (index, i) => i > 0 && Object.is(expected[i - 1], expected[i]) && order[i - 1] >= index,
  );
  if (at >= 0) throw new Error(`${what}: at ${at}, equal keys are not in the order of the input`);
}

async function check(sorter, array, count) {
  const keys = randomKeys(array, count);
  const expected = keys.slice().sort();
  const what = `${array.name} of ${count} on ${sorter.name}`;
  requireSame(await sorter.sort(keys), expected, `sort of ${what}`);
  requireOrder(await sorter.argsort(keys), keys, expected, `argsort of ${what}`);
}

async function ownDevice() {
  const adapter = await navigator.gpu.requestAdapter();
  if (!adapter) throw new Error("the runtime has no adapter");
  return adapter.requestDevice();
}

async function open() {
  if (selector !== "own") return (await load("index.js")).createSorter(selector, { threads: 2 });
  return (await load("core/index.js")).createSorter(await ownDevice());
}

/** Sorts enough keys for threads, in an array of its own and in one that is shared. */
async function checkThreads(sorter) {
  for (const buffer of [ArrayBuffer, SharedArrayBuffer]) {
    const keys = randomKeys(Uint32Array, LARGE, buffer);
    requireSame(await sorter.sort(keys), new Uint32Array(keys).sort(), `sort of ${LARGE} in ${buffer.name}`);
  }
  const { crew } = await load("threads/crew.js");
  return crew.running;
}

const sorter = await open();
for (const array of arrays) for (const count of SIZES) await check(sorter, array, count);
const threads = selector === "cpu" ? await checkThreads(sorter) : 0;
process.stdout.write(`${JSON.stringify({ name: sorter.name, threads })}\n`);
sorter.destroy();
