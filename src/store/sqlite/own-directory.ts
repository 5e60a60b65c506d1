import { lstatSync, mkdirSync } from "node:fs";
import { Failure } from "../../domain/failure.ts";

/**
 * Makes a directory of ours inside the state directory. One that is a link is refused: what is written into it, or swept
 * from it, would lie in a place that nobody gave us.
 * @throws Failure `storage_failed`
 */
export function makeOwnDirectory(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new Failure(
      "storage_failed",
      `${path}: is a link; put a directory in its place, or link the whole state directory`,
    );
  mkdirSync(path, { recursive: true, mode: 0o700 });
}
