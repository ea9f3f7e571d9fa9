import { existsSync, readFileSync } from "node:fs";

/**
 * A stack trace in which the places in bundled files are replaced by those in the sources that they were made
 * of, where a source map lies beside the file. Maps tell lines only.
 */
export function withSourceLines(stack: string): string {
  const { SourceMap } = process.getBuiltinModule("node:module");
  const maps = new Map<string, InstanceType<typeof SourceMap> | undefined>();
  const mapOf = (file: string) => {
    if (!maps.has(file)) {
      const path = `${file}.map`;
      maps.set(file, existsSync(path) ? new SourceMap(JSON.parse(readFileSync(path, "utf8"))) : undefined);
    }
    return maps.get(file);
  };
  return stack.replace(
    /(\(|^ +at (?:async )?)([^()\n]+\.js):(\d+):(\d+)/gm,
    (place, before, file, line, column) => {
      try {
        const entry = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
        if (!entry || !("originalSource" in entry)) return place;
        return `${before}${entry.originalSource.replace(/^(\.\.\/)+/, "")}:${entry.originalLine + 1}`;
      } catch {
        return place;
      }
    },
  );
}
