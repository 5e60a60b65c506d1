/** Shorter directories, such as `/` and `/app`, stand in too many other texts. */
const LEAST_STEPS = 2;

/** No system has a longer path. */
const PATH_CHARS = 4_096;

/**
 * Puts the workspace, where the task mounts it, in the place of the directory in which an agent worked elsewhere: rules then fit its paths, and neither
 * the name of a user nor the path tells a judge where a run was made.
 */
export function movedPaths(directory: string | null, workspace: string): (text: string) => string {
  const from = directory === null || directory.length > PATH_CHARS ? "" : directory.replace(/\/+$/, "");
  if (!from.startsWith("/") || from.split("/").length <= LEAST_STEPS) return (text) => text;
  return (text) => {
    if (!text.includes(from)) return text;
    const parts = text.split(from);
    const [first = "", ...rest] = parts;
    return rest.reduce((moved, part) => moved + (/^[\w.-]/.test(part) ? from : workspace) + part, first);
  };
}
