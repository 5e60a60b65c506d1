import type { Changes } from "../../src/domain/evidence.ts";
import { change } from "./build-case.ts";

/** The change and one new file of one line; null: it is binary. */
export function withNewFile(changes: Changes, path: string, line: string | null): Changes {
  const file = {
    ...change("", path).files[0],
    ...{ path, status: "added", added: line === null ? 0 : 1, removed: 0, binary: line === null },
    ...{ before: null, after: line === null ? null : `${line}\n` },
  } as Changes["files"][number];
  const hunk = line === null ? "" : `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,1 @@\n+${line}\n`;
  return { ...changes, files: [...changes.files, file], patch: changes.patch + hunk };
}
