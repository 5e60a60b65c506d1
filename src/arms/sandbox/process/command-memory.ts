import { readFileSync } from "node:fs";
import { MAX_TREE_BYTES } from "../limits.ts";
import { type MemoryGroup, type MemoryGroups, oomKillsAround } from "../memory-group.ts";
import { isGone, processTree } from "./process-table.ts";

/** The memory that one command holds. The kernel counts it where it can; elsewhere /proc tells what is resident. */
export class CommandMemory implements AsyncDisposable {
  readonly #leader: number;
  readonly #maxBytes: number;
  readonly #group: MemoryGroup | undefined;
  readonly #killsBefore: number;
  #counted = false;
  #init: number | undefined;

  /** @param leader the first process of the command's tree */
  constructor(groups: MemoryGroups | null, leader: number, maxBytes: number = MAX_TREE_BYTES) {
    this.#leader = leader;
    this.#maxBytes = maxBytes;
    this.#group = opened(groups, maxBytes);
    this.#killsBefore = this.#group ? 0 : oomKillsAround();
  }

  /**
   * Puts the namespace whose first process is `init` into the group, before anything of the command runs in it. The
   * leader stays outside, because it reports how the command ended.
   */
  enter(init: number | undefined): void {
    this.#init = init;
    if (this.#group === undefined || init === undefined) return;
    try {
      this.#group.add([init, ...childrenOf(init)]);
      this.#counted = true;
    } catch {
      // It was killed meanwhile, or the kernel refused. Resident memory is read in place of the group.
    }
  }

  /** Whether the kernel killed a process for lack of memory though the command kept to its own limit. */
  outerRanOut(): boolean {
    if (this.#group) return this.#group.oomKill() === "outer";
    return oomKillsAround() > this.#killsBefore;
  }

  async isExhausted(): Promise<boolean> {
    if (this.#counted) return this.#group?.oomKill() === "own";
    // Its namespace went before it, and looking for what is left means reading every process of the machine.
    if (this.#init !== undefined && isGone(this.#init)) return false;
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
    // The kernel gives no more groups.
    return undefined;
  }
}

const childrenOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ").filter(Boolean).map(Number);

/** Resident memory of the tree below `leader`. Memory that processes share counts for each of them. */
async function residentBytes(leader: number): Promise<number> {
  return (await processTree(leader)).reduce((sum, row) => sum + row.resident_bytes, 0);
}
