import { getDotPath, isValiError } from "valibot";

/** What a valibot schema objects to, with the path of the field: "rows.0.keyCount: Invalid type: …". */
export function describeIssue(error: unknown): string {
  if (!isValiError(error)) return (error as Error).message;
  const [issue] = error.issues;
  const path = getDotPath(issue);
  return path === null ? issue.message : `${path}: ${issue.message}`;
}
