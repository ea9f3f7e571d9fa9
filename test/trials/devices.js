import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const bin = fileURLToPath(new URL("../../bin/gpusort.js", import.meta.url));

/**
 * Those of the wanted devices that this machine has. Says which it has not.
 *
 * @param {string[]} wanted
 */
export function devicesHere(wanted) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, "devices", "--json"], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`gpusort devices fails: ${stderr}`);
  /** @type {{ adapters: { name: string }[] }} */
  const { adapters } = JSON.parse(stdout);
  const names = adapters.map(({ name }) => name.toLowerCase());
  /** @param {string} device */
  const isThere = (device) => device === "cpu" || names.some((name) => name.includes(device));
  for (const device of wanted)
    if (!isThere(device)) console.log(`SKIPPED: ${device}: there is no such adapter`);
  return wanted.filter(isThere);
}
