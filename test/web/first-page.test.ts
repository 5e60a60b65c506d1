import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../temporary.ts";
import { buildUi } from "./build-ui.ts";

test("what the first page needs is under 40 kB gzipped", async () => {
  using directory = temporaryDirectory();
  const ui = await buildUi(join(directory.path, "ui"));
  const needed = neededFrom(ui, "index.html");
  const bytes = [...needed].reduce((sum, name) => sum + Bun.gzipSync(readFileSync(join(ui, name))).byteLength, 0);
  expect(needed.size).toBeGreaterThan(2);
  expect(needed.size).toBeLessThan(readdirSync(ui).length);
  expect(bytes).toBeLessThan(40_000);
});

test("no page reads the schemas of the server, of which it uses the types alone", async () => {
  using directory = temporaryDirectory();
  const ui = await buildUi(join(directory.path, "ui"));
  const holders = readdirSync(ui).filter((name) => readFileSync(join(ui, name), "utf8").includes("TypeBox."));
  expect(holders).toEqual([]);
});

/** A file of the bundle and all that is read with it; not what it imports later. */
function neededFrom(ui: string, name: string, known: ReadonlySet<string> = new Set()): ReadonlySet<string> {
  const named = readFileSync(join(ui, name), "utf8").matchAll(/\b(?:src=|href=|from|import) *"\/([^"]+)"/g);
  let needed: ReadonlySet<string> = new Set([...known, name]);
  for (const [, other = ""] of named) if (!needed.has(other)) needed = neededFrom(ui, other, needed);
  return needed;
}
