import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A directory that is removed when the test ends: `using directory = temporaryDirectory()`. */
export function temporaryDirectory(parent = tmpdir()): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(parent, "abeval-test-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
