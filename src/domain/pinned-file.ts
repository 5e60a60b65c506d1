import { Failure } from "./failure.ts";

/** A file of this machine, or one of a commit, which a checkout cannot change. */
export interface PinnedFile {
  /** What messages call it. */
  readonly shown: string;
  readonly path: string;
  /** A commit of the repository around the working directory; absent: a file of this machine. */
  readonly ref?: string;
  /** The SHA-256 that the file must have; absent: any. */
  readonly sha256?: string;
}

/** `<file>` or `git:<ref>:<path>`, each with `@sha256:<digest>` behind it or not. @throws Failure `invalid_request` */
export function pinnedFile(text: string): PinnedFile {
  const [, shown = text, pin] = /^(.*?)(?:@sha256:(.*))?$/s.exec(text) ?? [];
  const sha256 = pin?.toLowerCase();
  if (sha256 !== undefined && !/^[0-9a-f]{64}$/.test(sha256))
    throw refused(text, "is pinned by no SHA-256; write 64 hexadecimal digits behind @sha256:");
  const pinned = sha256 === undefined ? {} : { sha256 };
  if (!shown.startsWith("git:")) return { shown, path: shown, ...pinned };
  const [, ref = "", path = ""] = /^git:([^:]*):(.+)$/s.exec(shown) ?? [];
  if (path === "") throw refused(shown, "names no file of a commit; write git:<ref>:<path>");
  return { shown, ref, path, ...pinned };
}

/** @throws Failure `invalid_request` where the file is not what is pinned */
export function demandPinned({ shown, sha256 }: PinnedFile, digest: string): void {
  if (sha256 !== undefined && digest !== sha256)
    throw refused(shown, `has the SHA-256 ${digest}, and ${sha256} is pinned`);
}

const refused = (name: string, what: string) => new Failure("invalid_request", `${name}: ${what}`);
