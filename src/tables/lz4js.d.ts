declare module "lz4js" {
  const lz4: { decompress(packed: Uint8Array, maxSize?: number): Uint8Array };
  export default lz4;
}
