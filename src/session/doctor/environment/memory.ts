import { findMemoryGroups } from "../../../workspace/sandbox/memory-group.ts";
import { type Check, pass, skip, warn } from "../check.ts";
import type { Surroundings } from "../services.ts";

/** What holds a command to its 2 GiB. */
export const commandMemory: Check<Surroundings> = {
  id: "sandbox.memory",
  title: "Memory of commands",
  run({ sandbox: mode }) {
    if (process.platform !== "linux") return skip("not limited on this system");
    if (mode === "none")
      return warn(`without a sandbox ${LOOKED_AT}, memory files and shared memory not counted`, HINT);
    const groups = findMemoryGroups();
    return groups === null
      ? warn(`no cgroup may be used, so ${LOOKED_AT}; memory files and big shared segments are refused`, GROUP_HINT)
      : pass(`cgroup ${groups.version}: the kernel limits it, memory files and shared memory included`);
  },
};

const LOOKED_AT = "resident memory is looked at ten times a second";

const HINT = "leave out --sandbox none where bubblewrap works";

const GROUP_HINT = "start abeval by systemd-run --user --scope -p Delegate=yes, or in a unit with Delegate=yes";
