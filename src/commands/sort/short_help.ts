import { ExitCode } from "../exit_code.js";

const shortHelp = `gpusort: no file is named, and standard input is a terminal
  gpusort keys.f64                      sorts a file into keys.sorted.f64
  gpusort keys.f64 -o out.f64           the same, into another file
  gpusort -t, -k2,2n data.csv           sorts lines by their second field
  zcat n.txt.gz | gpusort               sorts standard input
  gpusort --help                        lists the commands and options
`;

/** What to print if there is nothing to sort. */
export function printShortHelp(): void {
  process.stderr.write(shortHelp);
  process.exitCode = ExitCode.error;
}
