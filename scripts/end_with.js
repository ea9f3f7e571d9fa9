/**
 * node scripts/end_with.js PID NAME=VALUE: waits for the end of a process, or of the npm that runs it. Then it
 * ends the process, and all that have the variable in their environment, whatever group, session or parent they
 * have: by SIGTERM, and by SIGKILL what is left after 5 s. It reads /proc, so it needs Linux.
 */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

const PAUSE_MS = 500;
const PAUSES = 10;
// A terminal sends these to what is watched, too.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});

const [pid = "", variable] = process.argv.slice(2);

/** @param {string} path of a file in /proc, which may be gone. */
function read(path) {
  try {
    return readFileSync(`/proc/${path}`, "latin1");
  } catch {
    return "";
  }
}

/**
 * The state of a process by one letter, and its parent. Both are empty if it is gone, or not to be read.
 *
 * @param {string} pid
 * @returns {[state: string, parent: string]}
 */
function statOf(pid) {
  const [state = "", parent = ""] = read(`${pid}/stat`).replace(/.*\) /s, "").split(" ");
  return [state, parent];
}

/** @param {string} pid */
const isRunning = (pid) => !["", "Z", "X"].includes(statOf(pid)[0]);

/**
 * The npm among a process and its ancestors.
 *
 * @param {string} pid
 * @returns {string | undefined}
 */
function npmOf(pid) {
  if (pid === "" || pid === "0") return undefined;
  return read(`${pid}/comm`).startsWith("npm") ? pid : npmOf(statOf(pid)[1]);
}

const others = () =>
  readdirSync("/proc").filter(
    (name) => /^\d+$/.test(name) && `\0${read(`${name}/environ`)}`.includes(`\0${variable}\0`),
  );

const npm = npmOf(pid) ?? pid;
while (isRunning(pid) && isRunning(npm)) await pause(PAUSE_MS);

for (let i = 0; i < 2 * PAUSES; i++) {
  const left = [pid, ...others()].filter(isRunning);
  if (left.length === 0) break;
  for (const one of left) {
    try {
      if (i === 0 || i >= PAUSES) process.kill(Number(one), i === 0 ? "SIGTERM" : "SIGKILL");
    } catch {} // it has just ended, or is another user's
  }
  await pause(PAUSE_MS);
}
