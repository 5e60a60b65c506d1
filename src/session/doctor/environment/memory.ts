import { findMemoryGroups } from "../../../workspace/sandbox/memory-group.ts";
import { type Check, pass, skip } from "../check.ts";
import type { Surroundings } from "../services.ts";

/** What holds a command to its 2 GiB. */
export const commandMemory: Check<Surroundings> = {
  id: "sandbox.memory",
  title: "Memory of commands",
  run({ sandbox: mode }) {
    if (process.platform !== "linux") return skip("not limited on this system");
    if (mode === "none") return skip(`without a sandbox ${LOOKED_AT}; memory files and shared memory are not counted`);
    const groups = findMemoryGroups();
    return groups === null
      ? pass(`${LOOKED_AT}, memory files and big shared segments are refused; the kernel would count all ${WITH_GROUP}`)
      : pass(`cgroup ${groups.version}: the kernel limits it, memory files and shared memory included`);
  },
};

const LOOKED_AT = "resident memory is looked at ten times a second";

const WITH_GROUP = "in a cgroup of its own (systemd-run --user --scope -p Delegate=yes)";
