import { ImageFault, quotedPath } from "../image-fault.ts";

const PATH_BYTES = 4_096;
const NAME_BYTES = 255;
/** Directories below each other. What looks for a file takes a step for each. */
const LEVELS = 255;

/** Whether a link can lead to it. */
export function canBeNamed(target: string): boolean {
  const steps = target.split("/").filter((step) => step !== "");
  return target !== "" && Buffer.byteLength(target) <= PATH_BYTES && !target.includes("\0") && steps.length <= LEVELS;
}

/** The names along a path, which leads nowhere but down. @throws ImageFault */
export function stepsIn(path: string): readonly string[] {
  if (path.includes("\0")) throw new ImageFault(`holds ${quotedPath(path)}, a path that nothing can have`);
  if (Buffer.byteLength(path) > PATH_BYTES)
    throw new ImageFault(`holds a path of more than ${PATH_BYTES} bytes: ${quotedPath(path)}`);
  const steps = path.split("/").filter((step) => step !== "" && step !== ".");
  if (steps.length > LEVELS)
    throw new ImageFault(`holds a path of more than ${LEVELS} directories: ${quotedPath(path)}`);
  if (steps.includes("..")) throw new ImageFault(`holds ${quotedPath(path)}, which climbs out`);
  const long = steps.find((step) => Buffer.byteLength(step) > NAME_BYTES);
  if (long !== undefined) throw new ImageFault(`holds ${quotedPath(long)}, a name that is too long`);
  return steps;
}
