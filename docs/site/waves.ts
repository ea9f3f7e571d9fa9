import { Execution } from "../../src/core/device/execute.js";
import type { Gpu } from "../../src/core/device/gpu.js";
import { livePlan, palette } from "../../src/demos/waves_plan.js";
import { element, messageOf, sayOfShaders } from "./elements.js";
import { isResting, wantsLessMotion } from "./rest.js";

const POOL = { width: 256, height: 256 };
const CELLS = POOL.width * POOL.height;

/** Steps of three between two drops that fall by themselves. */
const TURNS_PER_DROP = 12;

/** The waves of the section "Compute shaders": on the page's device, drawn into a canvas. */
export async function startWaves(gpu: Gpu): Promise<void> {
  const canvas = element("waves", HTMLCanvasElement);
  const button = element("waves-play", HTMLButtonElement);
  const context = canvas.getContext("2d")!;
  const image = context.createImageData(POOL.width, POOL.height);
  const plan = livePlan(POOL, gpu.traits);
  const execution = await Execution.prepare(gpu, plan);
  const frame = await gpu.buffer("frame", CELLS, GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ);
  const drops: (readonly [x: number, y: number])[] = [];
  let turns = 0;
  let running = false;
  let isVisible = true;

  const place = (share: number, extent: number) =>
    Math.max(3, Math.min(extent - 4, Math.floor(share * extent)));
  const dropAt = (x: number, y: number) => drops.push([place(x, POOL.width), place(y, POOL.height)]);

  /** Takes three steps, and draws what the device then has. */
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
    const shades = new Uint8Array(frame.getMappedRange());
    for (let cell = 0; cell < CELLS; cell++) {
      const [red, green, blue] = palette[shades[cell]!]!;
      image.data.set([red, green, blue, 255], 4 * cell);
    }
    frame.unmap();
    context.putImageData(image, 0, 0);
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
  dropAt(0.5, 0.5);
  await turn();
  setRunning(!wantsLessMotion());
  loop();
}
