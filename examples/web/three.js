/** Half-transparent points that three.js draws back to front: gpusort sorts their indices in every frame. */
import { createSorter, deviceDescriptor } from "gpusort/core";
import { Fn, instancedArray, instanceIndex, positionGeometry, uniform, varying, vec2, vec4 } from "three/tsl";
import * as THREE from "three/webgpu";

const COUNT = 4000;
const RADIUS = 0.12;

const random = new Float32Array(8 * COUNT).map(() => Math.random());
const places = random.slice(4 * COUNT).map((x) => 2 * x - 1);
const positions = instancedArray(places, "vec4").toReadOnly();
const colors = instancedArray(random.slice(0, 4 * COUNT), "vec4").toReadOnly();
const order = instancedArray(COUNT, "uint").toReadOnly();
const depths = instancedArray(COUNT, "float");

// three.js requests an adapter like this one by itself, and all features that it knows: subgroups, too.
const adapter = await navigator.gpu.requestAdapter({ featureLevel: "compatibility" });
const { requiredLimits } = deviceDescriptor(adapter);
const renderer = new THREE.WebGPURenderer({ requiredLimits });
renderer.setSize(512, 512);
document.body.append(renderer.domElement);
await renderer.init();
const camera = new THREE.PerspectiveCamera(50, 1, 0.1, 10);
const view = uniform(camera.matrixWorldInverse);

// The keys: a shader writes how far each point is from the camera.
const measure = Fn(() => {
  const center = view.mul(vec4(positions.element(instanceIndex).xyz, 1));
  depths.element(instanceIndex).assign(center.z.negate());
})().compute(COUNT);

// The points: instance i draws point order[i], as a disc that fades out to its edge.
const point = order.element(instanceIndex);
const corner = positionGeometry.xy;
const center = view.mul(vec4(positions.element(point).xyz, 1));
const material = new THREE.NodeMaterial();
material.vertexNode = uniform(camera.projectionMatrix).mul(center.add(vec4(corner.mul(RADIUS), 0, 0)));
const across = varying(vec2(corner));
const color = varying(colors.element(point));
material.fragmentNode = vec4(color.rgb, color.a.mul(across.dot(across).oneMinus().max(0)));
material.transparent = true;
material.depthTest = false;
material.depthWrite = false;
const points = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), material);
points.count = COUNT;
points.frustumCulled = false;
const scene = new THREE.Scene().add(points);

// three.js makes its buffers when it first uses them. gpusort takes them as they are, and copies nothing.
renderer.compute(measure);
renderer.render(scene, camera);
const bufferOf = (array) => renderer.backend.get(array.value).buffer;
const { device } = renderer.backend;
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

function frame(ms) {
  camera.position.setFromSphericalCoords(4, 1.2, ms / 2000);
  camera.lookAt(0, 0, 0);
  camera.updateMatrixWorld();
  renderer.compute(measure);
  sort();
  renderer.render(scene, camera);
}
renderer.setAnimationLoop(frame);

// For the console, and for a test that compares pixels.
globalThis.recipe = {
  THREE,
  device,
  renderer,
  scene,
  camera,
  frame,
  places,
  colors: colors.value.array,
  bufferOf,
  order,
  RADIUS,
};
