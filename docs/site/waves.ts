import { Execution } from "../../src/core/device/execute.js";
import type { Gpu } from "../../src/core/device/gpu.js";
import { type ColourStop, livePlan, paletteOf, stops } from "../../src/demos/waves_plan.js";
import { element, messageOf, sayOfShaders } from "./elements.js";
import { isResting, wantsLessMotion } from "./rest.js";

const POOL = { width: 256, height: 256 };
const CELLS = POOL.width * POOL.height;

/** Steps of three between two drops that fall by themselves. */
const TURNS_PER_DROP = 12;

/** Where the first picture stays the only one, it shows the waves of these drops after so many turns. */
const STILL_TURNS = 64;
const stillDrops: readonly { readonly turn: number; readonly x: number; readonly y: number }[] = [
  { turn: 0, x: 0.38, y: 0.36 },
  { turn: 28, x: 0.7, y: 0.58 },
  { turn: 46, x: 0.34, y: 0.76 },
];

/** Colours of heights on a dark page: what is far from the water's level is bright. */
const darkStops: readonly ColourStop[] = [
  [-1, 214, 228, 255],
  [-0.4, 91, 143, 239],
  [0.2, 146, 84, 28],
  [0.45, 224, 142, 52],
  [0.7, 251, 191, 106],
  [1, 255, 240, 214],
];

/** The waves of the section "Compute shaders": on the page's device, drawn into a canvas. */
export async function startWaves(gpu: Gpu): Promise<void> {
  const canvas = element("waves", HTMLCanvasElement);
  const button = element("waves-play", HTMLButtonElement);
  const context = canvas.getContext("2d")!;
  const image = context.createImageData(POOL.width, POOL.height);
  const plan = livePlan(POOL, gpu.traits);
  const execution = await Execution.prepare(gpu, plan);
  const frame = await gpu.buffer("frame", CELLS, GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ);
  const isDark = matchMedia("(prefers-color-scheme: dark)");
  const shades = new Uint8Array(CELLS);
  const drops: (readonly [x: number, y: number])[] = [];
  let turns = 0;
  let running = false;
  let isVisible = true;

  const place = (share: number, extent: number) =>
    Math.max(3, Math.min(extent - 4, Math.floor(share * extent)));
  const dropAt = (x: number, y: number) => drops.push([place(x, POOL.width), place(y, POOL.height)]);

  let colours = coloursOn(canvas, isDark.matches);

  /** Draws the last frame. */
  const draw = () => {
    const pixels = new Uint32Array(image.data.buffer);
    for (let cell = 0; cell < CELLS; cell++) pixels[cell] = colours[shades[cell]!]!;
    context.putImageData(image, 0, 0);
  };
  /** Takes three steps, and reads a frame of what the device then has. */
  const turn = async () => {
    if (running && turns++ % TURNS_PER_DROP === 0) dropAt(Math.random(), Math.random());
    const drop = drops.shift();
    const [x, y] = drop ?? [3, 3];
    const words = plan.dropWords(x, y, drop ? 1.5 : 0);
    gpu.device.queue.writeBuffer(execution.buffers.drop!, 0, new Uint32Array(words));
    const encoder = gpu.device.createCommandEncoder();
    execution.encode(encoder);
    encoder.copyBufferToBuffer(execution.result, 0, frame, 0, CELLS);
    gpu.submit(encoder);
    await gpu.settle(frame.mapAsync(GPUMapMode.READ), "reading a frame");
    shades.set(new Uint8Array(frame.getMappedRange()));
    frame.unmap();
  };
  const setRunning = (wanted: boolean) => {
    running = wanted;
    button.textContent = running ? "Pause" : "Run";
    button.setAttribute("aria-pressed", String(running));
  };
  let busy = false;
  const loop = async () => {
    if (!busy && isVisible && !isResting() && (running || drops.length > 0)) {
      busy = true;
      try {
        await turn();
        draw();
      } catch (error) {
        setRunning(false);
        sayOfShaders(`The waves stopped: ${messageOf(error)}`);
        return;
      }
      busy = false;
    }
    requestAnimationFrame(loop);
  };

  canvas.addEventListener("click", ({ offsetX, offsetY }) => {
    dropAt(offsetX / canvas.clientWidth, offsetY / canvas.clientHeight);
  });
  canvas.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    dropAt(Math.random(), Math.random());
  });
  button.addEventListener("click", () => setRunning(!running));
  new IntersectionObserver(([entry]) => {
    isVisible = entry!.isIntersecting;
  }).observe(canvas);
  isDark.addEventListener("change", () => {
    colours = coloursOn(canvas, isDark.matches);
    draw();
  });
  const isStill = wantsLessMotion();
  for (let at = 0; at < (isStill ? STILL_TURNS : 1); at++) {
    const drop = isStill ? stillDrops.find((one) => one.turn === at) : { x: 0.5, y: 0.5 };
    if (drop) dropAt(drop.x, drop.y);
    await turn();
  }
  draw();
  setRunning(!isStill);
  loop();
}

/**
 * The pixels for the bytes of a frame. Water at rest has the background of its canvas, so that it is neither
 * white on a dark page nor the page itself.
 */
function coloursOn(canvas: HTMLCanvasElement, isDark: boolean): Uint32Array {
  const [red = 0, green = 0, blue = 0] = getComputedStyle(canvas).backgroundColor.match(/\d+/g)!.map(Number);
  const level: ColourStop = [0, red, green, blue];
  const others = (isDark ? darkStops : stops).filter(([height]) => height !== 0);
  const palette = paletteOf([...others, level].sort(([a], [b]) => a - b));
  return new Uint32Array(Uint8Array.from(palette.flatMap((colour) => [...colour, 255])).buffer);
}
