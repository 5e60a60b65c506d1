import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Scenario } from "../../domain/scenario.ts";
import type { ScenarioPlace } from "./loaded-scenario.ts";
import { materialsDigest } from "./pack.ts";
import { unpackMaterials } from "./packed/unpack.ts";

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
