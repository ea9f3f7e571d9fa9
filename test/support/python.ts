import { execFileSync } from "node:child_process";

/** The first of some commands that runs a line of Python without an error; undefined if none does. */
export function pythonThat(
  line: string,
  commands: readonly string[] = ["/usr/bin/python3", "python3"],
): string | undefined {
  return commands.find((command) => {
    try {
      execFileSync(command, ["-c", line], { stdio: "ignore" });
      return true;
    } catch {
      return false;
    }
  });
}
