import {
  chmodSync,
  chownSync,
  closeSync,
  fchmodSync,
  fchownSync,
  futimesSync,
  lchownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  symlinkSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join, posix } from "node:path";
import { Pace } from "../../../runtime/pace.ts";
import type { Owner } from "../../sandbox/sandbox.ts";
import { ImageFault, quotedPath } from "../image-fault.ts";
import { findInRoot, LookUps } from "../image-root.ts";
import { canBeNamed, stepsIn } from "./image-paths.ts";
import { type ImageLimits, ImageTally } from "./image-tally.ts";

/** A name that layers give to the removal of what it stands before. */
const WHITEOUT = ".wh.";
const OPAQUE = ".wh..wh..opq";

/** What writing or moving an entry takes, in units of `Pace`: on a busy disk it waits for those of others. */
const ENTRY_UNITS = 10;

/** Steps of looking up that take as long as one unit. */
const STEPS_OF_UNIT = 4;

/** A file that is being written. */
export interface OpenFile {
  write(chunk: Uint8Array): void;
  close(): void;
}

interface Attributes {
  readonly mode: number;
  readonly modified: Date | undefined;
}

/**
 * The root of an image while its layers are written, one over the other. Every path is looked up inside: a link in it leads
 * nowhere else. Nobody else may write there. Every method throws ImageFault for what no honest layer has.
 */
export class ImageTree {
  readonly #root: string;
  readonly #trash: string;
  readonly #owner: Owner | null;
  readonly tally: ImageTally;
  readonly #lookUps = new LookUps();
  readonly #pace = new Pace();
  #thrownAway = 0;
  /** Names that the layer which is written has, by their directory on this machine: whiteouts are about earlier ones. */
  #ofLayer = new Map<string, Set<string>>();
  /** The parent that was looked up last, and where it is. Files of one directory follow each other. */
  #parent: { readonly name: string; readonly path: string } | undefined;

  /** @param directory is empty; the tree becomes `root` in it */
  constructor(directory: string, owner: Owner | null, limits: ImageLimits) {
    this.#root = join(directory, "root");
    this.#trash = join(directory, "trash");
    this.#owner = owner;
    this.tally = new ImageTally(limits);
    mkdirSync(this.#trash, { mode: 0o700 });
    mkdirSync(this.#root, { mode: 0o755 });
    this.#own(this.#root);
  }

  beginLayer(): void {
    this.#ofLayer = new Map();
  }

  /** Await it before each entry: others have their turn, by what the one before it took. */
  async turn(path: string): Promise<void> {
    await this.#pace.units(ENTRY_UNITS + this.#lookUps.begin(path) / STEPS_OF_UNIT);
  }

  /** Hides what an earlier layer had. False when the name is that of no whiteout. */
  async whiteout(path: string): Promise<boolean> {
    const { parent, name } = splitPath(path);
    if (!name.startsWith(WHITEOUT)) return false;
    this.tally.addEntry();
    const hidden = name.slice(WHITEOUT.length);
    if (hidden === "" || hidden === "." || hidden === "..")
      throw new ImageFault(`holds ${quotedPath(path)}, which removes nothing that can be named`);
    const directory = findInRoot(this.#root, parent, this.#lookUps);
    if (!directory?.stats.isDirectory()) return true;
    if (name === OPAQUE) await this.#empty(directory.path, directory.stats.mode);
    else if (!hidden.startsWith(WHITEOUT)) this.#hide(join(directory.path, hidden));
    return true;
  }

  directory(path: string, { mode }: Attributes): void {
    this.tally.addEntry();
    if (stepsIn(path).length === 0) return;
    const place = this.#placeFor(path);
    if (lstatSync(place, { throwIfNoEntry: false })?.isDirectory()) chmodSync(place, dirMode(mode));
    else {
      this.#throwAway(place);
      mkdirSync(place);
      chmodSync(place, dirMode(mode));
      this.#own(place);
    }
    this.#isOfLayer(place);
  }

  /** @param size that it will have */
  file(path: string, size: number, { mode, modified }: Attributes): OpenFile {
    this.tally.addFile(size);
    const descriptor = openSync(this.#freePlace(path), "wx", 0o600);
    return {
      write: (chunk) => {
        for (let at = 0; at < chunk.length; ) at += writeSync(descriptor, chunk, at);
      },
      close: () => {
        // Readable and writable for its owner, whoever that is in the image; set-uid bits are for nobody.
        fchmodSync(descriptor, (mode & 0o777) | 0o600);
        if (this.#owner) fchownSync(descriptor, this.#owner.uid, this.#owner.gid);
        // Compiled files are known by the time of their sources.
        if (modified) futimesSync(descriptor, modified, modified);
        closeSync(descriptor);
      },
    };
  }

  symbolicLink(path: string, target: string): void {
    this.tally.addEntry();
    if (!canBeNamed(target)) throw new ImageFault(`holds ${quotedPath(path)}, a link to nothing that can be named`);
    const place = this.#freePlace(path);
    symlinkSync(target, place);
    if (this.#owner) lchownSync(place, this.#owner.uid, this.#owner.gid);
    this.#parent = undefined;
  }

  hardLink(path: string, target: string): void {
    this.tally.addEntry();
    const { parent, name } = splitPath(target);
    const directory = findInRoot(this.#root, parent, this.#lookUps);
    const source = directory && join(directory.path, name);
    const entry = source === undefined ? undefined : lstatSync(source, { throwIfNoEntry: false });
    if (source === undefined || !entry || entry.isDirectory())
      throw new ImageFault(`holds ${quotedPath(path)}, a hard link to ${quotedPath(target)}, which is no file of it`);
    const place = this.#placeFor(path);
    if (place === source) return;
    this.#throwAway(place);
    linkSync(source, place);
    this.#isOfLayer(place);
  }

  /** Writes a file of our own in place of whatever the image has there. */
  put(path: string, text: string): void {
    const file = this.file(path, Buffer.byteLength(text), { mode: 0o644, modified: undefined });
    file.write(Buffer.from(text));
    file.close();
  }

  #freePlace(path: string): string {
    const place = this.#placeFor(path);
    this.#throwAway(place);
    this.#isOfLayer(place);
    return place;
  }

  /** Where the last step of a path is to stand; its parents are made. */
  #placeFor(path: string): string {
    const { parent, name } = splitPath(path);
    if (name === "") throw new ImageFault(`holds ${quotedPath(path)}, which would replace its root`);
    if (this.#parent?.name !== parent) this.#parent = { name: parent, path: this.#made(parent) };
    return join(this.#parent.path, name);
  }

  #made(parent: string): string {
    if (parent === "/") return this.#root;
    const { parent: above, name } = splitPath(parent);
    const place = join(this.#made(above), name);
    this.#lookUps.step();
    const stats = lstatSync(place, { throwIfNoEntry: false });
    if (stats?.isDirectory()) return place;
    if (stats) return this.#linked(parent);
    this.tally.addEntry();
    mkdirSync(place, { mode: 0o755 });
    this.#own(place);
    this.#isOfLayer(place);
    return place;
  }

  /** The directory that a link leads to. */
  #linked(parent: string): string {
    const found = findInRoot(this.#root, parent, this.#lookUps);
    if (found?.stats.isDirectory()) return found.path;
    throw new ImageFault(
      found
        ? `holds something below ${quotedPath(parent)}, which is a file`
        : `holds something below ${quotedPath(parent)}, a link that leads nowhere`,
    );
  }

  #isOfLayer(place: string): void {
    const directory = dirname(place);
    const names = this.#ofLayer.get(directory);
    if (names) names.add(basename(place));
    else this.#ofLayer.set(directory, new Set([basename(place)]));
  }

  #hide(place: string): void {
    if (!this.#ofLayer.get(dirname(place))?.has(basename(place))) this.#throwAway(place);
  }

  /** Takes no longer the more earlier layers had in it: it is made anew, with what this layer has in it. */
  async #empty(directory: string, mode: number): Promise<void> {
    const before = this.#throwAway(directory);
    mkdirSync(directory);
    chmodSync(directory, dirMode(mode));
    this.#own(directory);
    for (const name of this.#ofLayer.get(directory) ?? []) {
      // Each counts: a layer may ask for it again and again.
      this.tally.addEntry();
      await this.#pace.units(ENTRY_UNITS);
      if (before && lstatSync(join(before, name), { throwIfNoEntry: false }))
        renameSync(join(before, name), join(directory, name));
    }
  }

  /** Takes no time, however much there is; it is removed with the directory around. */
  #throwAway(place: string): string | undefined {
    if (!lstatSync(place, { throwIfNoEntry: false })) return undefined;
    const thrown = join(this.#trash, String(this.#thrownAway));
    renameSync(place, thrown);
    this.#thrownAway += 1;
    this.#parent = undefined;
    return thrown;
  }

  #own(place: string): void {
    if (this.#owner) chownSync(place, this.#owner.uid, this.#owner.gid);
  }
}

/** @throws ImageFault */
function splitPath(path: string): { readonly parent: string; readonly name: string } {
  const steps = stepsIn(path);
  return { parent: posix.join("/", ...steps.slice(0, -1)), name: steps.at(-1) ?? "" };
}

const dirMode = (mode: number) => (mode & 0o777) | 0o700;
