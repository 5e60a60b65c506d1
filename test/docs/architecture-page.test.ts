import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../abeval.ts";
import { missingNames, missingPaths } from "./named-in-prose.ts";
import { readPage, tableBelow } from "./pages.ts";

const ARCHITECTURE = "docs/architecture.md";
const RECORDS = [...new Bun.Glob("docs/decisions/*.md").scanSync(ROOT)].sort();

test.each([ARCHITECTURE, ...RECORDS, ".github/CONTRIBUTING.md", "SECURITY.md"])(
  "every file and directory that %s names exists",
  async (path) => {
    expect(missingPaths((await readPage(path)).text)).toEqual([]);
  },
);

test.each([ARCHITECTURE, ".github/CONTRIBUTING.md"])("every name of code in %s is exported by src", async (path) => {
  expect(await missingNames((await readPage(path)).text)).toEqual([]);
});

test("a path and a name that are gone are found", async () => {
  const text =
    "`runSession` of `comparison/session/run-session.ts` calls `runGone` of `src/gone.ts`, in `lost/`.\n\n    arm/lost.ts";
  expect(missingPaths(text)).toEqual(["src/gone.ts", "lost/", "arm/lost.ts"]);
  expect(await missingNames(text)).toEqual(["runGone"]);
});

const directoriesIn = (path: string) =>
  readdirSync(join(ROOT, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

async function firstPaths(heading: string): Promise<string[]> {
  const rows = tableBelow(await readPage(ARCHITECTURE), heading);
  return rows.flatMap(([names = ""]) => [...names.matchAll(/`([\w/]+)\/`/g)].map(([, name = ""]) => name)).sort();
}

test("the page has a row for every wing of src, and for no other", async () => {
  expect(await firstPaths("## Wings")).toEqual(directoriesIn("src").sort());
});

test("the page has a row for every room of src, and for no other", async () => {
  const parted = ["arms", "comparison", "doors"];
  const rooms = directoriesIn("src").flatMap((wing) =>
    parted.includes(wing) ? directoriesIn(`src/${wing}`).map((room) => `${wing}/${room}`) : [wing],
  );
  expect(await firstPaths("## Rooms")).toEqual(rooms.sort());
});

test("the page names every single file of src", async () => {
  const { text } = await readPage(ARCHITECTURE);
  const files = [...new Bun.Glob("*.ts").scanSync(join(ROOT, "src"))];
  expect(files.filter((file) => !text.includes(`\`${file}\``))).toEqual([]);
});

test("a newcomer needs thirty words", async () => {
  expect(tableBelow(await readPage(ARCHITECTURE), "## Thirty words")).toHaveLength(30);
});
