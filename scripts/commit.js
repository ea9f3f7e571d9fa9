import { execFileSync } from "node:child_process";

/**
 * The commit of the Git repository whose root is `folder`, with "-dirty" if tracked files were changed.
 *
 * @param {string} folder
 * @returns {string | null} null if the folder is no root of a repository with a commit, or there is no Git.
 */
export function commitOf(folder) {
  // Git sets these for its hooks, and they would name another repository.
  const { GIT_DIR, GIT_WORK_TREE, GIT_INDEX_FILE, ...env } = process.env;
  /** @param {string[]} args */
  const git = (...args) =>
    execFileSync("git", args, {
      cwd: folder,
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  try {
    if (git("rev-parse", "--show-prefix") !== "") return null;
    const changed = git("status", "--porcelain", "--untracked-files=no");
    return `${git("rev-parse", "HEAD")}${changed ? "-dirty" : ""}`;
  } catch {
    return null;
  }
}
