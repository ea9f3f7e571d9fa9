/** Half-transparent points: cull, sort those that are visible back to front, draw them, all in one encoder. */
import { createSorter, deviceDescriptor } from "gpusort/core";

const COUNT = 4000;
const RADIUS = 0.08;

const canvas = document.createElement("canvas");
canvas.width = canvas.height = 512;
document.body.append(canvas);
const format = "rgba16float"; // many layers blend, and each blend rounds
const adapter = await navigator.gpu.requestAdapter();
const device = await adapter.requestDevice(deviceDescriptor(adapter));
const context = canvas.getContext("webgpu");
context.configure({ device, format });

const { STORAGE, UNIFORM, INDIRECT, COPY_DST } = GPUBufferUsage;
const buffer = (size, usage) => device.createBuffer({ size, usage });
const random = new Float32Array(8 * COUNT).map(() => Math.random());
const points = buffer(random.byteLength, STORAGE | COPY_DST); // of each point a place, 0 to 1, and a color
device.queue.writeBuffer(points, 0, random);
const turn = buffer(8, UNIFORM | COPY_DST);
const depths = buffer(4 * COUNT, STORAGE);
const visible = buffer(4 * COUNT, STORAGE);
const draw = buffer(16, STORAGE | INDIRECT | COPY_DST); // vertexCount, instanceCount, firstVertex, firstInstance

const module = device.createShaderModule({
  code: /* wgsl */ `
    struct Point { place: vec4f, color: vec4f }
    struct Corner { @builtin(position) at: vec4f, @location(0) across: vec2f, @location(1) color: vec4f }
    @group(0) @binding(0) var<storage, read> points: array<Point>;
    @group(0) @binding(1) var<uniform> turn: vec2f; // cosine and sine
    @group(0) @binding(2) var<storage, read_write> depths: array<f32>;
    @group(0) @binding(3) var<storage, read_write> visible: array<u32>;
    @group(0) @binding(4) var<storage, read_write> count: array<atomic<u32>>;
    @group(0) @binding(5) var<storage, read> order: array<u32>;

    fn seen(point: u32) -> vec3f {
      let at = 2 * points[point].place.xyz - 1;
      return vec3f(turn.x * at.x + turn.y * at.z, at.y, turn.x * at.z - turn.y * at.x);
    }

    @compute @workgroup_size(64) fn cull(@builtin(global_invocation_id) id: vec3u) {
      if (id.x >= arrayLength(&points)) { return; }
      let at = seen(id.x);
      if (at.z < 0 || any(abs(at.xy) > vec2f(1 + ${RADIUS}))) { return; }
      let next = atomicAdd(&count[1], 1);
      depths[next] = at.z;
      visible[next] = id.x;
    }

    @vertex fn corner(@builtin(vertex_index) vertex: u32, @builtin(instance_index) instance: u32) -> Corner {
      let point = order[instance];
      let across = vec2f(2 * vec2u(vertex & 1, vertex >> 1)) - 1;
      return Corner(vec4f(seen(point).xy + across * ${RADIUS}, 0, 1), across, points[point].color);
    }

    @fragment fn shade(corner: Corner) -> @location(0) vec4f {
      return vec4f(corner.color.rgb, corner.color.a * max(0, 1 - dot(corner.across, corner.across)));
    }`,
});
const cull = device.createComputePipeline({ layout: "auto", compute: { module } });
const over = { srcFactor: "src-alpha", dstFactor: "one-minus-src-alpha" };
const blended = device.createRenderPipeline({
  layout: "auto",
  vertex: { module },
  fragment: { module, targets: [{ format, blend: { color: over, alpha: over } }] },
  primitive: { topology: "triangle-strip" },
});
const bind = (pipeline, buffers) =>
  device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: Object.entries(buffers).map(([binding, resource]) => ({ binding: Number(binding), resource })),
  });

// Once: the sort reads the number of keys where the cull shader counts it, in the arguments of the draw.
const sorter = await createSorter(device);
const backToFront = await sorter.prepare({
  type: "f32",
  capacity: COUNT,
  count: { buffer: draw, offset: 4 },
  descending: true,
  keys: depths,
  payload: 4,
  values: visible,
  output: "values",
});
const culled = bind(cull, {
  0: { buffer: points },
  1: { buffer: turn },
  2: { buffer: depths },
  3: { buffer: visible },
  4: { buffer: draw },
});
const ordered = bind(blended, { 0: { buffer: points }, 1: { buffer: turn }, 5: backToFront.values });

function frame(angle, texture = context.getCurrentTexture()) {
  device.queue.writeBuffer(turn, 0, Float32Array.of(Math.cos(angle), Math.sin(angle)));
  device.queue.writeBuffer(draw, 0, Uint32Array.of(4, 0, 0, 0));
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(cull);
  pass.setBindGroup(0, culled);
  pass.dispatchWorkgroups(Math.ceil(COUNT / 64));
  backToFront.encode(pass);
  pass.end();
  const clear = { loadOp: "clear", storeOp: "store", clearValue: [0, 0, 0, 1] };
  const render = encoder.beginRenderPass({ colorAttachments: [{ view: texture.createView(), ...clear }] });
  render.setPipeline(blended);
  render.setBindGroup(0, ordered);
  render.drawIndirect(draw, 0);
  render.end();
  device.queue.submit([encoder.finish()]);
}
requestAnimationFrame(function show(ms) {
  frame(ms / 2000);
  requestAnimationFrame(show);
});

// For the console, and for a test that compares pixels.
globalThis.recipe = { device, frame, backToFront, points: random, RADIUS };
