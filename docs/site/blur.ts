import type { Gpu } from "../../src/core/device/gpu.js";
import { runPlan } from "../../src/core/device/run.js";
import { blurPlan, gaussWeights } from "../../src/demos/blur_plan.js";
import { element, messageOf, say, sayOfShaders } from "./elements.js";

const SIDE = 256;

/** The largest side of a visitor's picture; larger ones are made smaller. */
const LARGEST = 1024;

/** The blur of the section "Compute shaders". */
export async function startBlur(gpu: Gpu): Promise<void> {
  const canvas = element("blur", HTMLCanvasElement);
  const context = canvas.getContext("2d", { willReadFrequently: true })!;
  const sigma = element("blur-sigma", HTMLInputElement);
  const count = element("blur-count", HTMLInputElement);
  const file = element("blur-file", HTMLInputElement);
  let picture = testPicture();
  let wanted = 0;
  let last: Promise<void> = Promise.resolve();

  const blurOnce = async () => {
    const { width, height, data } = picture;
    say("blur-sigma-value", sigma.valueAsNumber.toFixed(1));
    say("blur-count-value", count.value);
    const words = new Uint32Array(data.buffer.slice(0));
    const times = count.valueAsNumber;
    const weights = gaussWeights(sigma.valueAsNumber);
    const blurred =
      times === 0 ? words : await runPlan(gpu, blurPlan(picture, weights, times, gpu.traits), { a: words });
    canvas.width = width;
    canvas.height = height;
    const bytes = new Uint8ClampedArray(
      blurred.buffer as ArrayBuffer,
      blurred.byteOffset,
      4 * width * height,
    );
    context.putImageData(new ImageData(bytes, width, height), 0, 0);
    canvas.dataset.blurred = `${sigma.value} ${count.value}`;
  };
  /**
   * Blurs when the blur before has ended, with the values of then; blurs that nobody waits for are left out.
   */
  const blur = () => {
    const mine = ++wanted;
    last = last
      .then(() => (mine === wanted ? blurOnce() : undefined))
      .catch((error) => {
        sayOfShaders(`The blur failed: ${messageOf(error)}`);
      });
    return last;
  };
  sigma.addEventListener("input", blur);
  count.addEventListener("input", blur);
  file.addEventListener("change", async () => {
    const chosen = file.files?.[0];
    if (!chosen) return;
    try {
      picture = await decoded(chosen);
      await blur();
    } catch {
      sayOfShaders(`${chosen.name} is not a picture that this browser reads.`);
    }
  });
  await blur();
}

async function decoded(file: File): Promise<ImageData> {
  const bitmap = await createImageBitmap(file);
  const scale = Math.min(1, LARGEST / Math.max(bitmap.width, bitmap.height));
  const width = Math.max(1, Math.round(bitmap.width * scale));
  const height = Math.max(1, Math.round(bitmap.height * scale));
  const context = new OffscreenCanvas(width, height).getContext("2d")!;
  context.drawImage(bitmap, 0, 0, width, height);
  return context.getImageData(0, 0, width, height);
}

/** A picture with sharp edges: circles and letters on squares. */
function testPicture(): ImageData {
  const context = new OffscreenCanvas(SIDE, SIDE).getContext("2d")!;
  const square = SIDE / 8;
  for (let y = 0; y < 8; y++) {
    for (let x = 0; x < 8; x++) {
      context.fillStyle = (x + y) % 2 === 0 ? "#f4f1e8" : "#1d4ed8";
      context.fillRect(x * square, y * square, square, square);
    }
  }
  const colours = ["#d9480f", "#2b8a3e", "#fab005"];
  colours.forEach((colour, i) => {
    context.fillStyle = colour;
    context.beginPath();
    context.arc(64 + 64 * i, 176 - 40 * (i % 2), 40, 0, 2 * Math.PI);
    context.fill();
  });
  context.fillStyle = "#000";
  context.font = "bold 54px sans-serif";
  context.textAlign = "center";
  context.fillText("gpusort", SIDE / 2, 72);
  return context.getImageData(0, 0, SIDE, SIDE);
}
