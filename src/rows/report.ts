import { FINDINGS_BYTES } from "../core/cpu/findings.js";
import type { KernelCall } from "../core/cpu/kernels.js";
import type { RowKernel } from "./row_kernels.js";
import { REPORT_BYTES, REPORTS, type RowWorkspace } from "./workspace.js";

/** What a call of a kernel reports, as words. They are zero before the call. */
export type Report = readonly number[];

/** The arguments of a kernel, made from the address of its report, and of a row of findings of its own. */
export type ReportingCall = (report: number, findings: number) => KernelCall;

const REPORT_WORDS = REPORT_BYTES / 4;

/**
 * Runs a kernel whose calls each report, as many at a time as there is room for.
 *
 * @param ended is told what each call reports, in order, and soon after it has ended. It must not throw.
 */
export async function runReporting(
  space: RowWorkspace,
  kernel: RowKernel,
  calls: readonly ReportingCall[],
  signal: AbortSignal | undefined,
  ended?: (report: Report) => void,
): Promise<Report[]> {
  const { at, runner, threads } = space;
  const reports: Report[] = [];
  // Only the kernel that reports nothing needs a row of findings for each call.
  const room = kernel === "refine_elements" ? at.findingsRows : REPORTS;
  for (let first = 0; first < calls.length; first += room) {
    const some = calls.slice(first, first + room);
    space.words(at.reports, some.length * REPORT_WORDS).fill(0);
    const bound = some.map((call, i) =>
      call(at.reports + i * REPORT_BYTES, at.findings + i * FINDINGS_BYTES),
    );
    const take = (count: number) => {
      const words = space.words(at.reports, count * REPORT_WORDS);
      for (let i = reports.length - first; i < count; i++) {
        const report = [...words.subarray(i * REPORT_WORDS, (i + 1) * REPORT_WORDS)];
        reports.push(report);
        ended?.(report);
      }
    };
    await runner.run(kernel, bound, threads, signal, false, ended && take);
    take(some.length);
  }
  return reports;
}

/** A double word of a report. @param place counts words. */
export function doubleWord(words: Report, place: number): bigint {
  return (BigInt(words[place + 1]!) << 32n) | BigInt(words[place]!);
}

/** The sum of double words, modulo 2^64. */
export function sumOf(words: readonly bigint[]): bigint {
  return BigInt.asUintN(
    64,
    words.reduce((sum, word) => sum + word, 0n),
  );
}
