import { spawn } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, statfsSync, utimesSync } from "node:fs";
import { chmod, rename } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../../domain/failure.ts";
import { exitOf } from "../../runtime/exit-of.ts";
import { findProgram } from "../../runtime/find-program.ts";
import { SharedWork } from "../../runtime/shared-work.ts";
import { inodeReserveOf, reserveOf } from "../sandbox/limits.ts";
import type { Owner } from "../sandbox/sandbox.ts";
import { isReachable, makeTempDir, removeTree, sweepTempDirs } from "../sandbox/temp-dir.ts";
import { ImageFault } from "./image-fault.ts";
import type { Image } from "./read-image.ts";
import { applyLayer } from "./unpacking/apply-layer.ts";
import { IMAGE_LIMITS, type ImageLimits } from "./unpacking/image-tally.ts";
import { ImageTree } from "./unpacking/image-tree.ts";

interface ImageCache {
  /** Absolute; made when it is needed. Processes may share it. */
  readonly directory: string;
  /** Who will own the files: whoever the sandbox runs programs as. */
  readonly owner: Owner | null;
  readonly now: Date;
  readonly limits?: ImageLimits;
  /** How long it may take on this machine; half an hour unless given. */
  readonly time_ms?: number;
}

/** The largest image that may be takes some minutes. Running into this is the machine's fault, and no arm loses by it. */
const TIME_MS = 30 * 60 * 1000;

/**
 * The root of an image, unpacked once for all who use this cache. It gets its name when it is complete and the disk has all of
 * it, so nobody finds a half of it, also after a power cut. What a killed process left is removed by the next one that
 * unpacks, and what nobody used for 30 days too.
 * @throws ImageFault; the signal's reason when it fires, with nothing left behind unless others wait for the same image
 */
export async function unpackImage(image: Image, cache: ImageCache, signal: AbortSignal): Promise<string> {
  const place = join(cache.directory, image.digest);
  return await unpacking.of(place, (stop) => unpackOnce(image, { place, ...cache }, stop), signal);
}

/** By place. What this process unpacks right now. */
const unpacking = new SharedWork<string>();

interface PlaceInCache extends ImageCache {
  readonly place: string;
}

async function unpackOnce(image: Image, cache: PlaceInCache, signal: AbortSignal): Promise<string> {
  const { directory, place, owner, now, time_ms = TIME_MS } = cache;
  const root = join(place, "root");
  makeCache(directory, owner);
  markUsed(place, now);
  if (existsSync(root)) return root;
  const sync = findProgram("sync");
  if (sync === null) throw new ImageFault("cannot be kept: this machine has no `sync`, which coreutils bring");
  await sweep(directory, now);
  const draft = makeTempDir(directory);
  const late = AbortSignal.timeout(time_ms);
  const stop = AbortSignal.any([signal, late]);
  try {
    await fill(draft, { image, signal: stop }, cache);
    await settle(draft, sync, stop);
    // Others may look for files in it as its owner.
    await chmod(draft, 0o755);
    await rename(draft, place).catch((error: unknown) => {
      // Another process was first.
      if (!existsSync(root)) throw error;
    });
    return root;
  } catch (error) {
    signal.throwIfAborted();
    if (late.aborted)
      throw new ImageFault(
        `was not unpacked within ${time_ms / 60_000} minutes on this machine; use a smaller image, or a faster disk for ${directory}`,
        { cause: error },
      );
    if (errorCode(error) === "ENOSPC" || errorCode(error) === "EDQUOT") throw new ImageFault(NO_ROOM, { cause: error });
    throw error;
  } finally {
    if (existsSync(draft)) await removeTree(draft);
  }
}

/** A place that is gone, or that belongs to another user, stays as it is. */
function markUsed(place: string, now: Date): void {
  try {
    utimesSync(place, now, now);
  } catch (error) {
    if (!["ENOENT", "EPERM", "EACCES", "EROFS"].includes(errorCode(error) ?? "")) throw error;
  }
}

const NO_ROOM = "needs more room than its cache's disk has";

async function fill(
  draft: string,
  { image, signal }: { readonly image: Image; readonly signal: AbortSignal },
  { owner, limits = IMAGE_LIMITS }: ImageCache,
): Promise<void> {
  const tree = new ImageTree(draft, owner, limits);
  const { bsize, blocks, bavail, files, ffree } = statfsSync(draft);
  const reserve = reserveOf({ size: blocks * bsize, free: bavail * bsize });
  const inodes = inodeReserveOf({ size: files, free: ffree });
  let looked = { bytes: 0, entries: 0 };
  const between = () => {
    signal.throwIfAborted();
    const { bytes, entries } = tree.tally;
    if (bytes - looked.bytes < LOOK_BYTES && entries - looked.entries < LOOK_ENTRIES) return;
    looked = { bytes, entries };
    const disk = statfsSync(draft);
    if (disk.bavail * disk.bsize < reserve || disk.ffree < inodes) throw new ImageFault(NO_ROOM);
  };
  for (const layer of image.layers) await applyLayer(layer, tree, { bytes: limits.bytes, between });
  tree.beginLayer();
  tree.put("etc/hosts", "127.0.0.1 localhost sandbox\n::1 localhost\n");
  tree.put("etc/resolv.conf", "");
  await removeTree(join(draft, "trash"));
}

/**
 * Waits until the disk has what was written. Without it the name of a directory could outlive a power cut that its files do
 * not. One call for the whole file system is cheaper than one for each of a million files.
 */
async function settle(directory: string, sync: string, signal: AbortSignal): Promise<void> {
  const status = await exitOf(spawn(sync, ["-f", directory], { env: {}, stdio: "ignore", signal }));
  if (status !== 0) throw new ImageFault("could not be written to its cache's disk: it reports a fault");
}

/** Bytes between two looks at how much of the disk is free. */
const LOOK_BYTES = 64 * 1024 * 1024;

/** Files, directories and links between two looks. */
const LOOK_ENTRIES = 1_000;

function makeCache(directory: string, owner: Owner | null): void {
  try {
    mkdirSync(directory, { recursive: true, mode: owner ? 0o755 : 0o700 });
  } catch (error) {
    throw new ImageFault(`cannot be unpacked: ${directory} cannot be made (${errorCode(error)})`, { cause: error });
  }
  if (!isReachable(join(directory, "x"), owner))
    throw new ImageFault(
      `cannot be unpacked: the sandbox's unprivileged user cannot enter ${directory}; chmod o+x its parents`,
    );
}

const UNUSED_MS = 30 * 24 * 60 * 60 * 1000;

async function sweep(directory: string, now: Date): Promise<void> {
  await sweepTempDirs(now, [directory], 0);
  for (const name of readdirSync(directory)) {
    const entry = lstatSync(join(directory, name), { throwIfNoEntry: false });
    if (!/^[0-9a-f]{64}$/.test(name) || !entry || now.getTime() - entry.mtimeMs < UNUSED_MS) continue;
    const old = makeTempDir(directory);
    renameSync(join(directory, name), join(old, name));
    await removeTree(old);
  }
}
