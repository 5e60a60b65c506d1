import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { errorCode, Failure } from "../../../domain/failure.ts";
import { demandPinned, type PinnedFile } from "../../../domain/pinned-file.ts";
import { fileChunks } from "../../../runtime/bounded-file.ts";
import { bytesAtRef, repositoryAround } from "../../scenario/repository.ts";
import { Unusable, unusable } from "../../scenario/unusable.ts";

/** Bytes of a bundle that is read. */
const MOST_BYTES = 64 * 1024 * 1024;

export const bundleFault = (name: string, what: string, cause?: unknown) =>
  new Failure("invalid_request", `${name}: ${what}`, { cause, details: { field: "baseline" } });

/** The bytes of a bundle in pieces; `digest` is theirs, once all are read. */
export class BundleBytes {
  readonly #name: PinnedFile;
  readonly #here: string;
  readonly #hash = createHash("sha256");

  /** @param here the working directory */
  constructor(name: PinnedFile, here: string) {
    this.#name = name;
    this.#here = here;
  }

  /** @throws Failure `invalid_request` */
  async *pieces(): AsyncGenerator<Uint8Array, void, void> {
    const { ref, path, shown } = this.#name;
    try {
      const read =
        ref === undefined
          ? fileChunks(resolve(this.#here, path), { most: MOST_BYTES, refuse })
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
    demandPinned(this.#name, digest);
    return digest;
  }
}

const around = (here: string) =>
  repositoryAround(here, "is of a commit, and there is no git repository around the working directory");

const refuse = (bytes?: number) =>
  new Unusable(bytes === undefined ? "is not a regular file" : `has more than ${MOST_BYTES / (1024 * 1024)} MiB`);
