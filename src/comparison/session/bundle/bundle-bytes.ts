import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { errorCode, Failure } from "../../../domain/failure.ts";
import { bytesAtRef, repositoryAround } from "../../scenario/repository.ts";
import { Unusable, unusable } from "../../scenario/unusable.ts";

/** Where a bundle lies: a file of this machine, or one of a commit, which a checkout cannot change. */
export interface BundleName {
  /** As messages name it. */
  readonly shown: string;
  readonly path: string;
  /** A commit of the repository around the working directory; absent: a file of this machine. */
  readonly ref?: string;
  /** The SHA-256 that the file must have. */
  readonly sha256?: string;
}

/** Bytes of a bundle that is read. */
const MOST_BYTES = 64 * 1024 * 1024;

/** `<file>` or `git:<ref>:<path>`, each with `@sha256:<digest>` behind it or not. @throws Failure `invalid_request` */
export function bundleNamed(text: string): BundleName {
  const [, shown = text, pin] = /^(.*?)(?:@sha256:(.*))?$/s.exec(text) ?? [];
  const sha256 = pin?.toLowerCase();
  if (sha256 !== undefined && !/^[0-9a-f]{64}$/.test(sha256))
    throw bundleFault(text, "is pinned by no SHA-256; write 64 hexadecimal digits behind @sha256:");
  const pinned = sha256 === undefined ? {} : { sha256 };
  if (!shown.startsWith("git:")) return { shown, path: shown, ...pinned };
  const [, ref = "", path = ""] = /^git:([^:]*):(.+)$/s.exec(shown) ?? [];
  if (path === "") throw bundleFault(shown, "names no file of a commit; write git:<ref>:<path>");
  return { shown, ref, path, ...pinned };
}

export const bundleFault = (name: string, what: string, cause?: unknown) =>
  new Failure("invalid_request", `${name}: ${what}`, { cause, details: { field: "baseline" } });

/** The bytes of a bundle in pieces; `digest` is theirs, once all are read. */
export class BundleBytes {
  readonly #name: BundleName;
  readonly #here: string;
  readonly #hash = createHash("sha256");

  /** @param here the working directory */
  constructor(name: BundleName, here: string) {
    this.#name = name;
    this.#here = here;
  }

  /** @throws Failure `invalid_request` */
  async *pieces(): AsyncGenerator<Uint8Array, void, void> {
    const { ref, path, shown } = this.#name;
    try {
      const read =
        ref === undefined
          ? bytesOfFile(resolve(this.#here, path))
          : bytesAtRef(around(this.#here), { ref, path }, MOST_BYTES);
      for await (const piece of read) {
        this.#hash.update(piece);
        yield piece;
      }
    } catch (error) {
      if (!(error instanceof Unusable) && errorCode(error) === undefined) throw error;
      throw bundleFault(shown, unusable(error).message, error);
    }
  }

  /** After the last piece. @throws Failure `invalid_request` where it is not what is pinned */
  digest(): string {
    const digest = this.#hash.digest("hex");
    const { sha256, shown } = this.#name;
    if (sha256 !== undefined && digest !== sha256)
      throw bundleFault(shown, `has the SHA-256 ${digest}, and ${sha256} is pinned`);
    return digest;
  }
}

const around = (here: string) =>
  repositoryAround(here, "is of a commit, and there is no git repository around the working directory");

async function* bytesOfFile(path: string): AsyncGenerator<Uint8Array, void, void> {
  // Opening a pipe for reading would wait for a writer.
  await using opened = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const stats = await opened.stat();
  if (!stats.isFile()) throw new Unusable("is not a regular file");
  if (stats.size > MOST_BYTES) throw new Unusable(`has more than ${MOST_BYTES / (1024 * 1024)} MiB`);
  yield* opened.createReadStream({ autoClose: false });
}
