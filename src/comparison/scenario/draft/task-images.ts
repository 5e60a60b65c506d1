import { mountPointFault } from "../../../domain/mount-point.ts";
import { Unusable } from "../unusable.ts";

/** An image that lies in the user's directory of images. */
export interface StoredImage {
  /** Its file or directory there. */
  readonly file: string;
  readonly digest: string;
  /** What it calls itself, such as `python:3.12`. */
  readonly references: readonly string[];
  readonly working_directory: string;
}

/** The images that tasks may name. */
export class TaskImages {
  readonly #images = new Map<string, StoredImage>();

  constructor(images: readonly StoredImage[]) {
    const named = [
      ...images.map((image) => [image.file.replace(/\.tar$/, ""), image] as const),
      ...images.flatMap((image) => image.references.map((reference) => [reference, image] as const)),
    ];
    for (const [name, image] of named) if (!this.#images.has(keyOf(name))) this.#images.set(keyOf(name), image);
  }

  /** The image that the first of some names leads to, its file's name before what it calls itself. */
  find(names: readonly string[]): StoredImage | undefined {
    return names.map((name) => this.#images.get(keyOf(name))).find((image) => image !== undefined);
  }
}

/** A file cannot be called as a reference is: `/` and `:` become `_`. What every reference may leave out is left out. */
const keyOf = (name: string) =>
  name
    .replace(/^(docker\.io|index\.docker\.io)\//, "")
    .replace(/^library\//, "")
    .replace(/:latest$/, "")
    .replaceAll(/[/:@]/g, "_");

/** Where work is done in an image. @throws Unusable */
export function workIn({ file, working_directory }: StoredImage): string {
  const at = `/${working_directory.split("/").filter(Boolean).join("/")}`;
  if (at === "/") throw new Unusable(`has an image without a working directory: ${file}`);
  const fault = mountPointFault(at, "image");
  if (fault !== null) throw new Unusable(`works in a system path: ${at}, which ${fault}`);
  return at;
}

/** How a scenario names it: it is found by its digest. */
export const imageField = ({ file, digest }: StoredImage) => ({ path: file, digest: `sha256:${digest}` });
