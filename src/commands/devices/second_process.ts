import { spawn } from "node:child_process";
import { constants } from "node:os";
import { InputError } from "../../core/errors.js";
import { statDescriptor } from "../../files/descriptor.js";

/** Signals that this process passes on. Those that nobody can catch end the second process by themselves. */
const passedOn = [
  "SIGINT",
  "SIGTERM",
  "SIGHUP",
  "SIGQUIT",
  "SIGUSR1",
  "SIGUSR2",
  "SIGCONT",
  "SIGWINCH",
] as const;

/**
 * Starts this command again in a second process, behind other words, and ends as that one ends. It has the same
 * arguments, folder, terminal and open files, and gets the signals that this process gets. It takes the place
 * of this process, which Node cannot replace.
 *
 * @param before words that start what follows them in place of themselves.
 * @param environment variables of the second process, besides those of this one.
 */
export async function endAsSecondProcess(
  before: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<never> {
  const [, script = "", ...words] = process.argv;
  const [program = "", ...args] = [...before, process.execPath, ...process.execArgv, script, ...words];
  const child = spawn(program, args, {
    stdio: ["inherit", "inherit", "inherit", ...alsoInherited(words)],
    env: { ...process.env, ...environment },
  });
  const end = ended(child);
  for (const signal of passedOn) {
    process.removeAllListeners(signal);
    process.on(signal, () => child.kill(signal));
  }
  process.on("SIGTSTP", () => {
    child.kill("SIGTSTP");
    process.kill(process.pid, "SIGSTOP");
  });
  const { code, signal } = await end;
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    // A signal takes a moment; the first process of a container does not end by it.
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  return process.exit(code ?? 128 + constants.signals[signal!]);
}

function ended(
  child: ReturnType<typeof spawn>,
): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code, signal) => resolve({ code, signal }));
  });
}

/**
 * The open files from number 3 on that the arguments name, such as "/dev/fd/63", which is how a shell passes
 * `<(command)`: for `stdio` of `spawn`. Node closes others in the second process, which nobody would miss.
 *
 * @throws InputError if one of them is not open. In the second process it might be another file.
 */
function alsoInherited(words: readonly string[]): ("ignore" | number)[] {
  const named = words.flatMap((word) => [...word.matchAll(/\/(?:dev|proc\/self)\/fd\/(\d{1,4})(?!\d)/g)]);
  const descriptors = named.flatMap(([path, digits]) => {
    const number = Number(digits);
    if (number > 2 && !statDescriptor(number)) {
      throw new InputError(`cannot use ${path}: it is closed`, {
        hint: "redirect it from or to a file or a pipe, or name a file",
      });
    }
    return number > 2 ? [number] : [];
  });
  return Array.from({ length: Math.max(2, ...descriptors) - 2 }, (_, i) =>
    descriptors.includes(i + 3) ? i + 3 : "ignore",
  );
}
