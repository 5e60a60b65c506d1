import { readFileSync } from "node:fs";
import { MAX_TREE_BYTES } from "./limits.ts";
import type { MemoryGroup, MemoryGroups } from "./memory-group.ts";
import { processTree } from "./process-table.ts";

/** What one command holds of the machine's memory: counted by the kernel where it can be, else looked at. */
export class CommandMemory implements AsyncDisposable {
  readonly #leader: number;
  readonly #maxBytes: number;
  readonly #group: MemoryGroup | undefined;
  #counted = false;

  /** @param leader the first process of the command's tree */
  constructor(groups: MemoryGroups | null, leader: number, maxBytes: number = MAX_TREE_BYTES) {
    this.#leader = leader;
    this.#maxBytes = maxBytes;
    this.#group = opened(groups, maxBytes);
  }

  /**
   * Puts the process namespace whose first process is `init` into the group, before anything of the command runs in it. The
   * leader stays outside: it tells how the command ended.
   */
  enter(init: number | undefined): void {
    if (this.#group === undefined || init === undefined) return;
    try {
      this.#group.add([init, ...childrenOf(init)]);
      this.#counted = true;
    } catch {
      // Killed meanwhile, or the kernel refused: what processes hold is looked at in its place.
    }
  }

  async isExhausted(): Promise<boolean> {
    if (this.#counted) return this.#group?.ranOut() === true;
    return (await residentBytes(this.#leader)) > this.#maxBytes;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#group?.remove();
  }
}

function opened(groups: MemoryGroups | null, maxBytes: number): MemoryGroup | undefined {
  try {
    return groups?.open(maxBytes);
  } catch {
    // The kernel has no more of them.
    return undefined;
  }
}

const childrenOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ").filter(Boolean).map(Number);

/** Of memory that belongs to processes; what several share counts for each of them. */
export async function residentBytes(leader: number): Promise<number> {
  return (await processTree(leader)).reduce((sum, row) => sum + row.resident_bytes, 0);
}
