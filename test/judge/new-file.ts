import type { Changes } from "../../src/domain/evidence.ts";
import { change } from "./build-case.ts";

/** The change and one new file; null: it is binary. */
export function withNewFile(changes: Changes, path: string, text: string | null): Changes {
  const lines = text?.split("\n") ?? [];
  const file = {
    ...change("", path).files[0],
    ...{ path, status: "added", added: lines.length, removed: 0, binary: text === null },
    ...{ before: null, after: text === null ? null : `${text}\n` },
  } as Changes["files"][number];
  const added = lines.map((line) => `+${line}\n`).join("");
  const hunk = text === null ? "" : `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${lines.length} @@\n${added}`;
  return { ...changes, files: [...changes.files, file], patch: changes.patch + hunk };
}
