import { getDotPath, isValiError, minValue, number, pipe, safeInteger } from "valibot";

/** Schemas of numbers of items or bytes in JSON files. */
export const wholeNumber = pipe(number(), safeInteger(), minValue(0));
export const positiveInteger = pipe(number(), safeInteger(), minValue(1));

const NO_OBJECT = "it holds no object of JSON";

/** What `JSON.parse` or a valibot schema objects to, after the field's path: "rows.0.keyCount: Invalid …". */
export function describeIssue(error: unknown): string {
  if (error instanceof SyntaxError) return NO_OBJECT;
  if (!isValiError(error)) return (error as Error).message;
  const [issue] = error.issues;
  const { received, message } = issue;
  const path = getDotPath(issue);
  if (path === null) return received === "Object" ? message : NO_OBJECT;
  return `${path}: ${received === "undefined" ? "it is missing" : message}`;
}
