import { FINDINGS_BYTES } from "../core/cpu/findings.js";
import type { KernelCall } from "../core/cpu/kernels.js";
import type { KernelOrder } from "./order/row_order.js";
import type { RowKernel } from "./row_kernels.js";
import { REPORTS, type RowWorkspace } from "./workspace.js";

/** What a call of a kernel reports, as words. They are zero before the call. */
export type Report = readonly number[];

/** The arguments of a kernel, made from the address of its report, and of a row of findings of its own. */
export type ReportingCall = (report: number, findings: number) => KernelCall;

/**
 * Runs a kernel whose calls each report, as many at a time as there is room for.
 *
 * @param ended is told what each call reports, in order, and soon after it has ended. It must not throw.
 */
export async function runReporting(
  space: RowWorkspace<KernelOrder>,
  kernel: RowKernel,
  calls: readonly ReportingCall[],
  signal: AbortSignal | undefined,
  ended?: (report: Report) => void,
): Promise<Report[]> {
  const { at, reportBytes, runner, threads } = space;
  const reportWords = reportBytes / 4;
  const reports: Report[] = [];
  // Only this kernel needs a row of findings for each call.
  const room = kernel === "refine_elements" ? Math.min(REPORTS, at.findingsRows) : REPORTS;
  for (let first = 0; first < calls.length; first += room) {
    const some = calls.slice(first, first + room);
    space.words(at.reports, some.length * reportWords).fill(0);
    const bound = some.map((call, i) => call(at.reports + i * reportBytes, at.findings + i * FINDINGS_BYTES));
    const take = (count: number) => {
      const words = space.words(at.reports, count * reportWords);
      for (let i = reports.length - first; i < count; i++) {
        const report = [...words.subarray(i * reportWords, (i + 1) * reportWords)];
        reports.push(report);
        ended?.(report);
      }
    };
    await runner.run(kernel, bound, threads, { signal, ended: ended && take });
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
