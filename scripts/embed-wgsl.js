// Writes src/wgsl.generated.ts from wgsl/: the same sources then reach Node and a browser's bundler
// alike, and the names of kernels and modules become types that the compiler checks.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

const root = new URL("../", import.meta.url);

function table(constant, type, folder) {
  const files = readdirSync(new URL(folder, root))
    .filter((file) => file.endsWith(".wgsl"))
    .sort();
  const rows = files.map((file) => {
    const source = readFileSync(new URL(folder + file, root), "utf8");
    return `  ${file.replace(".wgsl", "")}: ${JSON.stringify(source)},\n`;
  });
  return `export const ${constant} = {\n${rows.join("")}} as const;\nexport type ${type} = keyof typeof ${constant};\n`;
}

const text = `// Generated from wgsl/ by scripts/embed-wgsl.js: change the .wgsl files instead.\n${table(
  "kernelSources",
  "KernelName",
  "wgsl/",
)}${table("moduleSources", "ModuleName", "wgsl/shared/")}`;
const target = new URL("src/wgsl.generated.ts", root);
let current = "";
try {
  current = readFileSync(target, "utf8");
} catch {}
if (current !== text) writeFileSync(target, text);
