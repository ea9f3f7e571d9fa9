/** Types for the part of gifenc that demos/pictures/picture.ts uses. The package has no types of its own. */
declare module "gifenc" {
  interface FrameOptions {
    /** Colours: red, green, blue. A frame without a palette uses the first frame's. */
    readonly palette?: number[][];
    /** Milliseconds that the frame is shown. */
    readonly delay?: number;
  }
  interface Encoder {
    writeFrame(indices: Uint8Array, width: number, height: number, options?: FrameOptions): void;
    finish(): void;
    bytes(): Uint8Array;
  }
  const gifenc: { GIFEncoder(): Encoder };
  export default gifenc;
}
