import { existsSync, promises as fs } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { InputError } from "../../core/errors.js";
import { wholeNumber } from "../../demos/options.js";
import { errorOutput } from "../help.js";

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
    .configureOutput(errorOutput)
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

/** By the extensions of the files of the page, and of the site with it. */
const contentTypes = new Map([
  [".css", "text/css"],
  [".gif", "image/gif"],
  [".html", "text/html;charset=utf-8"],
  [".js", "text/javascript"],
  [".json", "application/json"],
  [".png", "image/png"],
  [".svg", "image/svg+xml"],
]);

/**
 * Serves the files of a folder, which are small and read anew for each request. Whatever the request is, it is
 * answered: an error in a handler would end the process.
 *
 * @param folder an absolute path without links.
 * @param headers what every response has.
 */
export function fileServer(folder: string, headers: Readonly<Record<string, string>>): RequestListener {
  return (request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.setHeader("Cache-Control", "no-store");
    answer(folder, request, response).catch(() => end(response, 500));
  };
}

async function answer(folder: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = "", url = "", headers } = request;
  if (method !== "GET" && method !== "HEAD") {
    response.setHeader("Allow", "GET, HEAD");
    return end(response, 405);
  }
  const path = pathOf(folder, url);
  if (path === undefined) return end(response, 400);
  const content = await fs.readFile(path).catch(() => undefined); // nothing, or a folder
  if (!content) return end(response, 404);
  response.setHeader("Content-Type", contentTypes.get(extname(path)) ?? "application/octet-stream");
  response.setHeader("Accept-Ranges", "bytes");
  const [from, to] = rangeOf(headers.range, content.length) ?? [0, content.length];
  if (from >= to && content.length > 0) {
    response.setHeader("Content-Range", `bytes */${content.length}`);
    return end(response, 416);
  }
  const isPart = to - from < content.length;
  if (isPart) response.setHeader("Content-Range", `bytes ${from}-${to - 1}/${content.length}`);
  response.writeHead(isPart ? 206 : 200, { "Content-Length": to - from });
  response.end(method === "HEAD" ? undefined : content.subarray(from, to));
}

function end(response: ServerResponse, status: number): void {
  response.statusCode = status;
  response.end();
}

/** @returns the path that a request is for, within the folder; undefined if it is no path of a file. */
function pathOf(folder: string, url: string): string | undefined {
  try {
    const name = decodeURIComponent(url.replace(/[?#].*/s, ""));
    const path = join(folder, name.endsWith("/") ? `${name}index.html` : name);
    return name.startsWith("/") && !name.includes("\0") && path.startsWith(folder + sep) ? path : undefined;
  } catch {
    return undefined; // a % that begins no character
  }
}

/**
 * The bytes that a header asks for, as RFC 9110 defines a range. Several ranges and other units are ignored, as
 * it allows.
 *
 * @returns the first byte, and the one after the last: no byte if there is no such range; undefined for all.
 */
function rangeOf(header: string | undefined, bytes: number): readonly [from: number, to: number] | undefined {
  const [, range] = /^bytes=([^,]*)$/.exec(header ?? "") ?? [];
  if (range === undefined) return undefined;
  const [, first, last, ending] = /^(?:(\d+)-(\d*)|-(\d+))$/.exec(range.trim()) ?? [];
  if (ending !== undefined) return [Math.max(0, bytes - Number(ending)), bytes];
  if (first === undefined) return [0, 0];
  return [Number(first), last === "" ? bytes : Math.min(bytes, Number(last) + 1)];
}
