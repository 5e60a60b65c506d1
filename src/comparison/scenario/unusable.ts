import { Failure } from "../../domain/failure.ts";
import { refuseShortage } from "../../domain/shortage.ts";

/** A file or directory that a scenario names and that cannot be used; the message says why, without the path. */
export class Unusable extends Error {
  override readonly name = "Unusable";

  /** What a promise gives in place of something unusable. Any other error is rethrown. */
  static readonly or =
    <T>(value: T) =>
    (error: unknown): T => {
      if (error instanceof Unusable) return value;
      throw error;
    };
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  ENOTDIR: "does not exist",
  EACCES: "may not be read",
  EPERM: "may not be read",
  ELOOP: "is a link that leads in a circle",
  ENAMETOOLONG: "is too long a path",
};

/**
 * A failed system call as an Unusable. Any other error is rethrown.
 * @throws Failure `overloaded` when the machine has run out of something: whoever wrote the file can do nothing about it
 */
export function unusable(error: unknown): Unusable {
  if (error instanceof Unusable) return error;
  if (error instanceof Failure || !(error instanceof Error) || !("code" in error)) throw error;
  refuseShortage(error);
  return new Unusable(REASONS[String(error.code)] ?? `cannot be read (${String(error.code)})`, { cause: error });
}
