import { expect, it, vi } from "vitest";
import { hintText } from "../../src/commands/error_hint.js";
import { createProgram } from "../../src/commands/program.js";
import { DeviceError, InputError } from "../../src/core/errors.js";

const error = new DeviceError("no memory", {
  hint: "sort less at a time",
  options: ["memoryBytes", "device"],
});

it.each([
  ["sort", "sort less at a time (--memory, --device)"],
  ["bench", "sort less at a time (--device)"],
  ["demo", "sort less at a time (--device)"],
  ["verify", "sort less at a time"],
])("a hint names only flags that the command %s has", (name, text) => {
  const command = createProgram().commands.find((one) => one.name() === name);
  expect(hintText(error, command as never)).toBe(text);
});

it("a hint names the flags of the plan for a task of a job", () => {
  const job = createProgram().commands.find((one) => one.name() === "job")!;
  const task = job.commands.find((one) => one.name() === "sort");
  const blank = new InputError("a line is empty", { hint: "skip blank lines", options: ["blankLines"] });
  expect(hintText(blank, task)).toBe("skip blank lines (plan anew with --blank-lines)");
  const full = new InputError("no space", { hint: "name another output", options: ["output"] });
  expect(hintText(full, task)).toBe("name another output (plan anew with --job, --output)");
  const plan = job.commands.find((one) => one.name() === "plan");
  expect(hintText(full, plan)).toBe("name another output (--job, --output)");
});

it("a hint names GPUSORT_DEVICE if that has chosen the device", () => {
  const command = createProgram().commands.find((one) => one.name() === "sort")!;
  vi.stubEnv("GPUSORT_DEVICE", "gone");
  expect(hintText(error, command as never)).toBe(
    "sort less at a time (--memory, GPUSORT_DEVICE or --device)",
  );
  command.setOptionValueWithSource("device", "gone", "cli");
  expect(hintText(error, command as never)).toBe("sort less at a time (--memory, --device)");
  vi.unstubAllEnvs();
});
