import { expect, it } from "vitest";
import { hintText } from "../../src/commands/hints.js";
import { createProgram } from "../../src/commands/program.js";
import { DeviceError } from "../../src/core/errors.js";

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
