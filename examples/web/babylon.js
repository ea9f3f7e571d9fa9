/** Half-transparent points that Babylon.js draws back to front: gpusort sorts their indices in every frame. */
import { StorageBuffer } from "@babylonjs/core/Buffers/storageBuffer.js";
import { ArcRotateCamera } from "@babylonjs/core/Cameras/arcRotateCamera.js";
import { ComputeShader } from "@babylonjs/core/Compute/computeShader.js";
import "@babylonjs/core/Engines/WebGPU/Extensions/engine.alpha.js";
import "@babylonjs/core/Engines/WebGPU/Extensions/engine.computeShader.js";
import "@babylonjs/core/Engines/WebGPU/Extensions/engine.readTexture.js";
import "@babylonjs/core/Engines/WebGPU/Extensions/engine.renderTarget.js";
import "@babylonjs/core/Engines/WebGPU/Extensions/engine.renderTargetTexture.js";
import { Constants } from "@babylonjs/core/Engines/constants.js";
import { WebGPUEngine } from "@babylonjs/core/Engines/webgpuEngine.js";
import { ShaderLanguage } from "@babylonjs/core/Materials/shaderLanguage.js";
import { ShaderMaterial } from "@babylonjs/core/Materials/shaderMaterial.js";
import { RenderTargetTexture } from "@babylonjs/core/Materials/Textures/renderTargetTexture.js";
import { UniformBuffer } from "@babylonjs/core/Materials/uniformBuffer.js";
import { Color4 } from "@babylonjs/core/Maths/math.color.js";
import { Vector3 } from "@babylonjs/core/Maths/math.vector.js";
import { CreatePlane } from "@babylonjs/core/Meshes/Builders/planeBuilder.js";
import { Scene } from "@babylonjs/core/scene.js";
import { createSorter, deviceDescriptor } from "gpusort/core";

const COUNT = 4000;
const RADIUS = 0.12;

const canvas = document.createElement("canvas");
canvas.width = canvas.height = 512;
document.body.append(canvas);
const adapter = await navigator.gpu.requestAdapter(); // Babylon.js requests one like it by itself
const engine = new WebGPUEngine(canvas, { antialias: false, deviceDescriptor: deviceDescriptor(adapter) });
await engine.initAsync();
const scene = new Scene(engine);
scene.clearColor = new Color4(0, 0, 0, 1);
const camera = new ArcRotateCamera("camera", 0, 1.2, 4, Vector3.Zero(), scene);
camera.fov = 0.87;

const places = new Float32Array(4 * COUNT).map(() => 2 * Math.random() - 1);
const colors = new Float32Array(4 * COUNT).map(() => Math.random());
const storage = (bytes) => new StorageBuffer(engine, bytes, Constants.BUFFER_CREATIONFLAG_READWRITE);
const positionBuffer = storage(places.byteLength);
positionBuffer.update(places);
const colorBuffer = storage(colors.byteLength);
colorBuffer.update(colors);
const depths = storage(4 * COUNT);
const order = storage(4 * COUNT);

// The keys: a shader writes how far each point is from the camera.
const view = new UniformBuffer(engine);
view.addUniform("view", 16);
const measure = new ComputeShader(
  "measure",
  engine,
  {
    computeSource: `
@group(0) @binding(0) var<uniform> view: mat4x4<f32>;
@group(0) @binding(1) var<storage, read> positions: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> depths: array<f32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&depths)) {
    depths[id.x] = (view * vec4<f32>(positions[id.x].xyz, 1.0)).z;
  }
}`,
  },
  {
    bindingsMapping: {
      view: { group: 0, binding: 0 },
      positions: { group: 0, binding: 1 },
      depths: { group: 0, binding: 2 },
    },
  },
);
measure.setUniformBuffer("view", view);
measure.setStorageBuffer("positions", positionBuffer);
measure.setStorageBuffer("depths", depths);

// The points: instance i draws point order[i], as a disc that fades out to its edge.
const material = new ShaderMaterial(
  "points",
  scene,
  {
    vertexSource: `
attribute position: vec3<f32>;
uniform view: mat4x4<f32>;
uniform projection: mat4x4<f32>;
var<storage, read> order: array<u32>;
var<storage, read> positions: array<vec4<f32>>;
var<storage, read> colors: array<vec4<f32>>;
varying across: vec2<f32>;
varying color: vec4<f32>;
@vertex
fn main(input: VertexInputs) -> FragmentInputs {
  let point = order[vertexInputs.instanceIndex];
  let corner = vertexInputs.position.xy;
  let center = uniforms.view * vec4<f32>(positions[point].xyz, 1.0);
  vertexOutputs.across = corner;
  vertexOutputs.color = colors[point];
  vertexOutputs.position = uniforms.projection * (center + vec4<f32>(corner * ${RADIUS}, 0.0, 0.0));
}`,
    fragmentSource: `
varying across: vec2<f32>;
varying color: vec4<f32>;
@fragment
fn main(input: FragmentInputs) -> FragmentOutputs {
  let alpha = max(0.0, 1.0 - dot(fragmentInputs.across, fragmentInputs.across));
  fragmentOutputs.color = vec4<f32>(fragmentInputs.color.rgb, fragmentInputs.color.a * alpha);
}`,
  },
  {
    attributes: ["position"],
    uniforms: ["view", "projection"],
    storageBuffers: ["order", "positions", "colors"],
    shaderLanguage: ShaderLanguage.WGSL,
    needAlphaBlending: true,
  },
);
material.setStorageBuffer("order", order);
material.setStorageBuffer("positions", positionBuffer);
material.setStorageBuffer("colors", colorBuffer);
material.backFaceCulling = false;
material.disableDepthWrite = true;
material.depthFunction = Constants.ALWAYS;
const points = CreatePlane("points", { size: 2 }, scene);
points.material = material;
points.forcedInstanceCount = COUNT;
points.alwaysSelectAsActiveMesh = true;

// gpusort takes the device and the buffers of Babylon.js as they are, and copies nothing.
const bufferOf = (buffer) => buffer.getBuffer().underlyingResource;
const device = engine._device;
const sorter = await createSorter(device);
const backToFront = await sorter.prepare({
  type: "f32",
  capacity: COUNT,
  keys: bufferOf(depths),
  payload: "index",
  values: bufferOf(order),
  descending: true,
  output: "values",
});

function sort() {
  const encoder = device.createCommandEncoder();
  backToFront.encode(encoder);
  device.queue.submit([encoder.finish()]);
}

function turn(ms) {
  camera.alpha = ms / 2000;
  view.updateMatrix("view", camera.getViewMatrix(true));
  view.update();
}

function frame(ms) {
  turn(ms);
  measure.dispatch(Math.ceil(COUNT / 64));
  engine.flushFramebuffer(); // submits what Babylon.js has recorded, so that the sort finds the depths
  sort();
  scene.render();
}
turn(0);
await Promise.all([scene.whenReadyAsync(), measure.dispatchWhenReady(Math.ceil(COUNT / 64))]);
engine.runRenderLoop(() => frame(performance.now()));

// For the console, and for a test that compares pixels.
globalThis.recipe = {
  Constants,
  RenderTargetTexture,
  Vector3,
  device,
  engine,
  scene,
  camera,
  frame,
  places,
  colors,
  order,
  RADIUS,
};
