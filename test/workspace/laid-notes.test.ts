import { expect, test } from "bun:test";
import { layNotes } from "../../src/arms/workspace/laid-notes.ts";
import { Directory } from "./harness.ts";

test("others have their turn while an arm's own files are looked at", async () => {
  using directory = new Directory();
  const files = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`note-${at}.md`, "Be brief."]));
  const laid = await layNotes({ root: directory.path, source: { dir: null, files }, entries: [], owner: null });
  let had_turn = false;
  setImmediate(() => {
    had_turn = true;
  });
  expect((await laid.seen(directory.path)).changed).toEqual([]);
  expect(had_turn).toBe(true);
});
