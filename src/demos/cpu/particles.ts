import { readParams } from "../../demo_kernels/kernels.js";
import { asFloats, constant, type Dispatch } from "./cpu_kernel.js";

/**
 * Words per particle, and where its position, velocity and acceleration begin: see wgsl/demos/particle.wgsl.
 */
const STRIDE = 12;
const [POSITION, VELOCITY, ACCELERATION] = [0, 4, 8];
/** The counter of particles that did not fit. */
const REFUSED = 2;

const { fround } = Math;

/** The CPU version of wgsl/demos/particles_step.wgsl. It consumes particles from the end of the buffer. */
export function particlesStep(dispatch: Dispatch): void {
  const [input, output, counters] = dispatch.bindings as [Uint32Array, Uint32Array, Uint32Array];
  const source = constant(dispatch, "SOURCE");
  const { capacity, seconds } = readParams("particles_step", dispatch.params);
  const invocations = dispatch.grid[0] * constant(dispatch, "WORKGROUP_SIZE");
  for (let i = 0; i < invocations && counters[source]! > 0; i++) {
    counters[source]!--;
    const at = counters[source]! * STRIDE;
    const particle = input.slice(at, at + STRIDE);
    advance(asFloats(particle), seconds);
    append(output, counters, constant(dispatch, "TARGET"), capacity, particle);
  }
}

function advance(particle: Float32Array, seconds: number): void {
  for (let axis = 0; axis < 3; axis++) {
    particle[VELOCITY + axis]! += fround(particle[ACCELERATION + axis]! * seconds);
    particle[POSITION + axis]! += fround(particle[VELOCITY + axis]! * seconds);
  }
}

function append(
  output: Uint32Array,
  counters: Uint32Array,
  target: number,
  capacity: number,
  particle: Uint32Array,
): void {
  if (counters[target]! >= capacity) {
    counters[REFUSED]!++;
    return;
  }
  output.set(particle, counters[target]! * STRIDE);
  counters[target]!++;
}

/** The CPU version of wgsl/demos/particles_emit.wgsl. */
export function particlesEmit(dispatch: Dispatch): void {
  const [emitted, output, counters] = dispatch.bindings as [Uint32Array, Uint32Array, Uint32Array];
  const { capacity, count, firstId } = readParams("particles_emit", dispatch.params);
  for (let id = firstId; id < firstId + count; id++) {
    const particle = emitted.subarray(id * STRIDE, (id + 1) * STRIDE);
    append(output, counters, constant(dispatch, "TARGET"), capacity, particle);
  }
}

/** The CPU version of wgsl/demos/particles_grid.wgsl. */
export function particlesGrid(dispatch: Dispatch): void {
  const [counters, workgroups] = dispatch.bindings as [Uint32Array, Uint32Array];
  const count = counters[constant(dispatch, "SOURCE")]!;
  workgroups.set([Math.ceil(count / constant(dispatch, "WORKGROUP_SIZE")), 1, 1]);
}
