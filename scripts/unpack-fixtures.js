// Unpacks fixtures/NAME.br to fixtures/NAME. Packed, the 4 MB of real keys take 1 MB in the repository.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";

const folder = new URL("../fixtures/", import.meta.url);
for (const packed of readdirSync(folder).filter((file) => file.endsWith(".br"))) {
  const target = new URL(packed.replace(/\.br$/, ""), folder);
  if (!existsSync(target)) writeFileSync(target, brotliDecompressSync(readFileSync(new URL(packed, folder))));
}
