/** The part of gifenc, which has no types of its own, that formats/picture.ts uses. */
declare module "gifenc" {
  interface FrameOptions {
    /** Red, green, blue; the first frame's is every later one's that brings none. */
    readonly palette?: number[][];
    /** Milliseconds. */
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
