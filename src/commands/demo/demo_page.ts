import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { InputError } from "../../core/errors.js";
import { messageLines } from "../../core/printable.js";
import { wholeNumber } from "../../demos/options.js";
import { fileServer } from "./file_server.js";

/** The page opens no other host, and is cross-origin isolated, so that its sort on the CPU has threads. */
const HEADERS = {
  "Content-Security-Policy":
    "default-src 'self'; connect-src 'self' blob:; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' blob: data:",
  "Cross-Origin-Embedder-Policy": "require-corp",
  "Cross-Origin-Opener-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
};

const PORT = wholeNumber("port of 127.0.0.1; 0 takes a free one", { default: 4680, least: 0, most: 65_535 });

/**
 * `gpusort demo page`: serves the built page on 127.0.0.1 until the process is told to end.
 *
 * @param words everything after "demo page".
 * @throws InputError if the port is wrong or taken, or if the page was not built.
 */
export async function demoPage(words: readonly string[]): Promise<void> {
  const program = new Command("gpusort demo page")
    .description("serve a page that sorts in your browser, on your GPU")
    .option(`--port <${PORT.value}>`, PORT.description, PORT.default)
    .configureOutput({ outputError: (text, write) => write(messageLines(text)) })
    .exitOverride();
  await program.parseAsync([...words], { from: "user" });
  const port = PORT.parse(program.opts<{ port: string }>().port, "--port");

  const folder = fileURLToPath(new URL("../page", import.meta.url));
  if (!existsSync(folder)) {
    throw new InputError("this copy of gpusort has no page", { hint: "build it: npm run build" });
  }
  const server = createServer(fileServer(folder, HEADERS));
  const url = await new Promise<string>((resolve, reject) => {
    server.on("error", (cause: NodeJS.ErrnoException) => reject(portError(port, cause)));
    server.listen(port, "127.0.0.1", () => {
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    });
  });
  process.stdout.write(`${url}\n`);
  process.stderr.write("open it in a browser with WebGPU; Ctrl+C ends it\n");
  await new Promise<void>((resolve) => {
    server.once("close", resolve);
  });
}

function portError(port: number, cause: NodeJS.ErrnoException): InputError {
  const why = { EADDRINUSE: "another program uses it", EACCES: "it needs more rights" }[cause.code ?? ""];
  return new InputError(`port ${port} cannot be opened: ${why ?? cause.message}`, {
    hint: "choose another one with --port, or --port 0 for a free one",
    cause,
  });
}
