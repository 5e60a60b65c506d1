import { mkdir, mkdtemp, open, readFile, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { MATERIAL_BYTES, MATERIAL_FILES } from "../../domain/defaults.ts";
import { Failure } from "../../domain/failure.ts";
import type { Scenario } from "../../domain/scenario.ts";
import { sha256 } from "../../domain/sha256.ts";
import { workspacePathFault } from "./confined-path.ts";
import { checkLink } from "./git/tree.ts";
import type { ScenarioPlace } from "./loaded-scenario.ts";
import { digestOf } from "./materials.ts";
import {
  FILES,
  HEADER_BYTES,
  materialsDigest,
  type PackedFile,
  parseHeader,
  placedFiles,
  placedSets,
  TREES,
} from "./pack.ts";
import { ByteReader } from "./packed/byte-reader.ts";
import { Unusable, unusable } from "./unusable.ts";

/** Bytes of files that stay unpacked though nobody uses them. */
const CACHE_BYTES = 2_000_000_000;

/** Files of a scenario that stay where they are until they are disposed. */
interface UnpackedPlace extends ScenarioPlace, AsyncDisposable {}

interface Kept {
  readonly home: string;
  readonly place: ScenarioPlace;
  readonly bytes: number;
}

interface Slot {
  readonly kept: Promise<Kept>;
  users: number;
}

/** Files of scenarios that lie elsewhere, unpacked once each. What was used least lately goes first; what is in use stays. */
export class MaterialsCache {
  readonly #directory: string;
  readonly #maxBytes: number;
  /** By digest; what was used last is the last. */
  readonly #slots = new Map<string, Slot>();

  /** @param directory exists, and is removed by whoever made it. Processes may share it: each has its own copies. */
  constructor(directory: string, maxBytes = CACHE_BYTES) {
    this.#directory = directory;
    this.#maxBytes = maxBytes;
  }

  /**
   * @param read gives what `packMaterials` gave for this digest
   * @throws Failure `workspace_failed`, and whatever `read` throws
   */
  async open(definition: Scenario, read: (digest: string) => AsyncIterable<Uint8Array>): Promise<UnpackedPlace> {
    const digest = materialsDigest(definition);
    const slot = this.#slots.get(digest) ?? { kept: this.#unpack(definition, read(digest)), users: 0 };
    slot.users += 1;
    this.#slots.delete(digest);
    this.#slots.set(digest, slot);
    try {
      const { place } = await slot.kept;
      await this.#makeRoom();
      return { ...place, [Symbol.asyncDispose]: () => this.#leave(slot) };
    } catch (error) {
      if (this.#slots.get(digest) === slot) this.#slots.delete(digest);
      throw error;
    }
  }

  async #unpack(definition: Scenario, archive: AsyncIterable<Uint8Array>): Promise<Kept> {
    const home = await mkdtemp(join(this.#directory, "materials-"));
    try {
      const { bytes, ...place } = await unpackMaterials(definition, archive, home);
      return { home, place, bytes };
    } catch (error) {
      await rm(home, { recursive: true, force: true });
      throw error;
    }
  }

  async #leave(slot: Slot): Promise<void> {
    slot.users -= 1;
    await this.#makeRoom();
  }

  async #makeRoom(): Promise<void> {
    let room = this.#maxBytes;
    for (const [digest, { kept, users }] of [...this.#slots].reverse()) {
      if (users > 0) continue;
      const { bytes, home } = await kept;
      room -= bytes;
      if (room >= 0) continue;
      const slot = this.#slots.get(digest);
      if (slot === undefined || slot.users > 0 || slot.kept !== kept) continue;
      this.#slots.delete(digest);
      await rm(home, { recursive: true, force: true });
    }
  }
}

/** Where the files of a scenario lie, and how many bytes they have. */
interface Unpacked extends ScenarioPlace {
  readonly bytes: number;
}

/**
 * Writes what `packMaterials` gave into an empty directory, and nothing beside it. Every set of files is what the definition says.
 * @throws Failure `workspace_failed`; then the directory holds a part of it
 */
export async function unpackMaterials(
  definition: Scenario,
  archive: AsyncIterable<Uint8Array>,
  into: string,
): Promise<Unpacked> {
  try {
    const sets = placedSets(definition);
    for (const place of [FILES, TREES, ...sets.map(({ place }) => place)])
      await mkdir(join(into, place), { recursive: true });
    const bytes = await writeAll(archive, into);
    for (const { place, set } of sets)
      if ((await digestOf({ ...set, dir: join(into, place) })) !== set.digest) throw new Unusable(OTHER);
    for (const { place, digest } of placedFiles(definition))
      if (sha256(await readFile(join(into, place))) !== digest) throw new Unusable(OTHER);
    return { directory: join(into, FILES), trees: join(into, TREES), bytes };
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure("workspace_failed", `what was stored of the scenario's files ${unusable(error).message}`, {
      cause: error,
    });
  }
}

const OTHER = "is not what the scenario was checked with";

/** Links come last, so that no path leads through one. */
async function writeAll(archive: AsyncIterable<Uint8Array>, into: string): Promise<number> {
  const reader = new ByteReader(archive, () => new Unusable("is not whole"));
  const paths = new Paths();
  const links: (readonly [target: string, path: string])[] = [];
  try {
    for (let file = await next(reader); file !== null; file = await next(reader)) {
      paths.add(file);
      if (file.kind === "link") links.push([new TextDecoder().decode(await reader.take(file.bytes)), file.path]);
      else await write(join(into, file.path), file, reader.pieces(file.bytes));
    }
  } finally {
    await reader.close();
  }
  for (const [target, path] of links) {
    checkLink(path.slice(path.indexOf("/") + 1), target);
    await mkdir(dirname(join(into, path)), { recursive: true });
    await symlink(target, join(into, path));
  }
  return paths.bytes;
}

const next = async (reader: ByteReader) => parseHeader(await reader.line(HEADER_BYTES));

async function write(path: string, { kind }: PackedFile, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await using file = await open(path, "wx", kind === "executable" ? 0o755 : 0o644);
  for await (const piece of pieces) await file.writeFile(piece);
}

/** Target of a link, in bytes. */
const LINK_BYTES = 4_096;
const PATH_CHARS = 4_096;

/** What an archive may hold, whoever made it. */
class Paths {
  readonly #seen = new Map<string, PackedFile["kind"]>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** @throws Unusable */
  add({ path, kind, bytes }: PackedFile): void {
    const fault = path.length > PATH_CHARS ? "is too long" : workspacePathFault(path);
    if (fault !== null) throw new Unusable(`holds ${JSON.stringify(path)}: a path ${fault}`);
    if (!path.startsWith(`${FILES}/`) && !path.startsWith(`${TREES}/`)) throw new Unusable(`holds ${path}`);
    if (this.#seen.has(path)) throw new Unusable(`holds ${path} twice`);
    if (kind === "link" && bytes > LINK_BYTES) throw new Unusable(`holds ${path}, a link that is too long`);
    this.#seen.set(path, kind);
    this.#bytes += bytes;
    if (this.#seen.size > MATERIAL_FILES) throw new Unusable(`holds more than ${MATERIAL_FILES} files`);
    if (this.#bytes > MATERIAL_BYTES) throw new Unusable(`holds more than ${MATERIAL_BYTES / 1e6} MB`);
    for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1))
      if (this.#seen.has(path.slice(0, at))) throw new Unusable(`holds ${path} below a file or a link`);
  }
}
