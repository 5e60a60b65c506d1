/** The directories that a path lies in, from the outermost on. */
export const parentsOf = (path: string): readonly string[] => {
  const steps = path.split("/");
  return steps.slice(1).map((_, index) => steps.slice(0, index + 1).join("/"));
};
