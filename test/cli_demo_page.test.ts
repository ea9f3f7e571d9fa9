import { promises as fs } from "node:fs";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Workplace } from "./support/command.js";

let work: Workplace;
let server: ReturnType<Workplace["start"]>;
let address: URL;
let style: Buffer;

beforeAll(async () => {
  work = await Workplace.create();
  server = work.start(["demo", "page", "--port", "0"]);
  address = await new Promise((resolve, reject) => {
    server.child.stdout.once("data", (line) => resolve(new URL(String(line).trim())));
    server.ended.then(({ stderr }) => reject(new Error(stderr)));
  });
  style = await fs.readFile(new URL("../dist/page/style.css", import.meta.url));
});
afterAll(async () => {
  server.child.kill();
  await server.ended;
  await work.remove();
});

/** Sends bytes as they are, which fetch would not send. @returns the status of the response. */
function statusOf(...lines: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port: Number(address.port) });
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1])));
    socket.write(`${[...lines, "Host: x", "Connection: close"].join("\r\n")}\r\n\r\n`, "latin1");
  });
}

const get = (headers: Record<string, string> = {}, method = "GET") =>
  fetch(new URL("style.css", address), { headers: { ...headers, "accept-encoding": "identity" }, method });

describe("gpusort demo page", () => {
  it("serves its files by their type, and the page itself for a folder", async () => {
    const index = await fetch(address);
    expect([index.status, index.headers.get("content-type")]).toEqual([200, "text/html;charset=utf-8"]);
    const types = { "main.js": "text/javascript", "icon.svg": "image/svg+xml", "style.css": "text/css" };
    for (const [name, type] of Object.entries(types)) {
      const { status, headers } = await fetch(new URL(name, address));
      expect([status, headers.get("content-type"), headers.get("x-content-type-options")]).toEqual([
        200,
        type,
        "nosniff",
      ]);
    }
    expect(Buffer.from(await (await get()).arrayBuffer()).equals(style)).toBe(true);
  });

  it.each([
    ["bytes=0-0", 0, 1],
    ["bytes=5-20", 5, 21],
    ["bytes=10-", 10, undefined],
    ["bytes=-7", -7, undefined],
    ["bytes=3-99999999999999999999", 3, undefined],
  ])("sends a part: %s", async (range, from, to) => {
    const response = await get({ range });
    const part = style.subarray(from, to);
    expect([response.status, await response.text()]).toEqual([206, part.toString()]);
    const first = style.indexOf(part);
    const expected = `bytes ${from < 0 ? style.length + from : first}-`;
    expect(response.headers.get("content-range")).toMatch(new RegExp(`^${expected}\\d+/${style.length}$`));
    const head = await get({ range }, "HEAD");
    expect([head.status, head.headers.get("content-length")]).toEqual([206, String(part.length)]);
  });

  it.each([
    ...["bytes=5-2", "bytes=", "bytes=-", "bytes=-0", "bytes=a-b", "bytes=1-2-3", "bytes=0x1-2", "bytes=--1"],
    ...["bytes=99999999-", "bytes=99999999999999999999-", "bytes=1.5-2", "bytes= - "],
  ])("answers 416 if there is no such range: %s", async (range) => {
    const response = await get({ range });
    expect([response.status, await response.text()]).toEqual([416, ""]);
    expect(response.headers.get("content-range")).toBe(`bytes */${style.length}`);
  });

  it.each(["bytes=0-1,3-4", "lines=1-2", "5-2", "bytes"])(
    "sends all for what is no single range: %s",
    async (range) => {
      const response = await get({ range });
      expect([response.status, (await response.arrayBuffer()).byteLength]).toEqual([200, style.length]);
    },
  );

  it.each([
    ["GET /%00 HTTP/1.1", 400],
    ["GET /style.css%00.html HTTP/1.1", 400],
    ["GET /% HTTP/1.1", 400],
    ["GET /%E0%A4%A HTTP/1.1", 400],
    ["GET /%ff%fe HTTP/1.1", 400],
    ["GET /../package.json HTTP/1.1", 400],
    ["GET /..%2f..%2fpackage.json HTTP/1.1", 400],
    ["GET /%2e%2e/%2e%2e/package.json HTTP/1.1", 400],
    ["GET /docs/../../../package.json HTTP/1.1", 400],
    ["GET /..\\..\\package.json HTTP/1.1", process.platform === "win32" ? 400 : 404],
    ["GET //etc/passwd HTTP/1.1", 404],
    ["GET http://elsewhere/style.css HTTP/1.1", 400],
    ["GET style.css HTTP/1.1", 400],
    ["GET /style.css/ HTTP/1.1", 404],
    ["GET /docs HTTP/1.1", 404],
    ["GET /style.css?range=%#% HTTP/1.1", 200],
    ["POST / HTTP/1.1", 405],
    ["OPTIONS * HTTP/1.1", 405],
    ["DELETE /style.css HTTP/1.1", 405],
    ["BREW / HTTP/1.1", 400],
    ["nonsense", 400],
    ["GET / HTTP/9.9", 400],
  ])("answers any request: %s", async (line, status) => {
    expect(await statusOf(line)).toBe(status);
  });

  it("answers long paths", async () => {
    for (const path of ["a".repeat(5000), "a/".repeat(2000)]) {
      expect(await statusOf(`GET /${path} HTTP/1.1`)).toBe(404);
    }
  });

  it("has lived through all of them", async () => {
    expect((await get()).status).toBe(200);
    expect(server.child.exitCode).toBeNull();
  });
});
