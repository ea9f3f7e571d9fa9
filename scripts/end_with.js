/**
 * node scripts/end_with.js PID NAME=VALUE: waits until a process ends, or the npm that started it, and then ends the
 * process and all that were started with this variable in their environment, whatever group, session or parent
 * they have: first by SIGTERM, then by SIGKILL. It reads /proc, so it needs Linux.
 */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

const PAUSE_MS = 500;
// A terminal sends these to what is watched, too.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});

const [pid, variable] = process.argv.slice(2);

/** @param {string} path of a file in /proc, which may be gone. */
function read(path) {
  try {
    return readFileSync(`/proc/${path}`, "latin1");
  } catch {
    return "";
  }
}

/**
 * The state of a process by one letter, and its parent.
 *
 * @param {string} pid
 */
const statOf = (pid) => read(`${pid}/stat`).replace(/.*\) /s, "").split(" ");

/** @param {string} pid */
const isRunning = (pid) => !["", "Z", "X"].includes(statOf(pid)[0]);

/**
 * The npm among the ancestors of a process.
 *
 * @param {string} pid
 * @returns {string | undefined}
 */
function npmOf(pid) {
  if (pid === "0") return undefined;
  return read(`${pid}/comm`).startsWith("npm") ? pid : npmOf(statOf(pid)[1]);
}

/** Whether npm was killed before: its shell goes on with what follows in the script. */
const isOrphan = () =>
  read(`${statOf(pid)[1]}/cmdline`).includes(process.env.npm_lifecycle_script ?? "\n") && !npmOf(pid);

const others = () =>
  readdirSync("/proc").filter(
    (name) => /^\d+$/.test(name) && `\0${read(`${name}/environ`)}`.includes(`\0${variable}\0`),
  );

const npm = npmOf(pid) ?? pid;
while (isRunning(pid) && isRunning(npm) && !isOrphan()) await pause(PAUSE_MS);
for (let signal = "SIGTERM"; ; signal = "SIGKILL") {
  const left = [pid, ...others()].filter(isRunning);
  if (left.length === 0) break;
  for (const one of left) {
    try {
      process.kill(Number(one), signal);
    } catch {} // it has just ended
  }
  await pause(PAUSE_MS);
}
