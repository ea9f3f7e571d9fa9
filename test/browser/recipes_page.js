// What recipes.test.ts does in the pages of examples/web: it draws one frame, and reads its pixels.
const SIZE = 128;
const { recipe } = globalThis;

/** Half floats of a picture as numbers, rows from the top. */
const decoded = (halves) => [...halves].map(fromHalf);

function fromHalf(half) {
  const fraction = half & 0x3ff;
  const exponent = (half >> 10) & 0x1f;
  return exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15);
}

const pictures = {
  async babylon() {
    const { Constants, RenderTargetTexture, Vector3 } = recipe;
    const { engine, scene, camera, frame, places, colors, order, RADIUS } = recipe;
    engine.stopRenderLoop();
    const options = { type: Constants.TEXTURETYPE_HALF_FLOAT, generateDepthBuffer: false };
    const target = new RenderTargetTexture("picture", SIZE, scene, { ...options, generateMipMaps: false });
    camera.outputRenderTarget = target;
    await scene.whenReadyAsync(true);
    const read = async () => [...(await target.readPixels())]; // rows from the bottom
    frame(1000);
    const sorted = await read();
    const count = places.length / 4;
    order.update(Uint32Array.from({ length: count }, (_, i) => i));
    scene.render();
    const unsorted = await read();
    const toPixels = (SIZE / 2) * camera.getProjectionMatrix().m[5];
    const discs = Array.from({ length: count }, (_, i) => {
      const at = Vector3.FromArray(places, 4 * i);
      const { x, y, z } = Vector3.TransformCoordinates(at, camera.getViewMatrix());
      const scale = toPixels / z;
      return disc(SIZE / 2 + x * scale, SIZE / 2 + y * scale, z, RADIUS * scale, colors.slice(4 * i));
    });
    return { sorted, unsorted, discs, size: SIZE };
  },

  async three() {
    const { THREE, renderer, scene, camera, frame, places, colors, bufferOf, order, RADIUS } = recipe;
    renderer.setAnimationLoop(null);
    const target = new THREE.RenderTarget(SIZE, SIZE, { type: THREE.HalfFloatType, depthBuffer: false });
    renderer.setRenderTarget(target);
    renderer.setClearColor(0, 1);
    const read = async () => decoded(await renderer.readRenderTargetPixelsAsync(target, 0, 0, SIZE, SIZE));
    frame(1000);
    const sorted = await read();
    const count = places.length / 4;
    const inputOrder = Uint32Array.from({ length: count }, (_, i) => i);
    renderer.backend.device.queue.writeBuffer(bufferOf(order), 0, inputOrder);
    renderer.render(scene, camera);
    const unsorted = await read();
    const at = new THREE.Vector3();
    const toPixels = (SIZE / 2) * camera.projectionMatrix.elements[5];
    const discs = Array.from({ length: count }, (_, i) => {
      const { x, y, z } = at.fromArray(places, 4 * i).applyMatrix4(camera.matrixWorldInverse);
      const scale = toPixels / -z;
      return disc(SIZE / 2 + x * scale, SIZE / 2 - y * scale, -z, RADIUS * scale, colors.slice(4 * i));
    });
    return { sorted, unsorted, discs, size: SIZE };
  },

  async webgpu() {
    const { device, frame, backToFront, points, RADIUS } = recipe;
    const usage = GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC;
    const texture = device.createTexture({ size: [SIZE, SIZE], format: "rgba16float", usage });
    const read = async () => {
      const size = 8 * SIZE * SIZE;
      const buffer = device.createBuffer({ size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
      const encoder = device.createCommandEncoder();
      encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: 8 * SIZE }, [SIZE, SIZE]);
      device.queue.submit([encoder.finish()]);
      await buffer.mapAsync(GPUMapMode.READ);
      return decoded(new Uint16Array(buffer.getMappedRange()));
    };
    globalThis.requestAnimationFrame = () => {};
    const angle = 0.7;
    frame(angle, texture);
    const sorted = await read();
    backToFront.encode = () => {};
    frame(angle, texture);
    const unsorted = await read();
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    const discs = Array.from({ length: points.length / 8 }, (_, i) => {
      const [x, y, z] = [...points.slice(8 * i, 8 * i + 3)].map((at) => 2 * at - 1);
      const across = SIZE / 2 + (SIZE / 2) * (cos * x + sin * z);
      return disc(
        across,
        SIZE / 2 - (SIZE / 2) * y,
        cos * z - sin * x,
        (SIZE / 2) * RADIUS,
        points.slice(8 * i + 4),
      );
    });
    return { sorted, unsorted, discs: discs.filter(({ depth }) => depth >= 0), size: SIZE };
  },
};

const disc = (x, y, depth, radius, color) => ({ x, y, depth, radius, color: [...color.slice(0, 4)] });

globalThis.picture = (name) => pictures[name]();
