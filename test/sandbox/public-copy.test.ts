import { describe, expect } from "bun:test";
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { ROOT_USER } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { Directory } from "../workspace/harness.ts";

const MODULE = join(import.meta.dir, "../../src/arms/sandbox/public-copy.ts");
const OTHER_USER = 60_001;

/** In a process of its own: what a copy leaves is seen when its maker is gone. */
async function copyTwice(executable: string, place: string) {
  const script = `
    import { statSync } from "node:fs";
    import { dirname } from "node:path";
    import { publicCopy } from ${JSON.stringify(MODULE)};
    const [first, second] = [publicCopy(${JSON.stringify(executable)}, ${JSON.stringify(place)}), publicCopy(${JSON.stringify(executable)}, ${JSON.stringify(place)})];
    const mode = (path) => (statSync(path).mode & 0o777).toString(8);
    console.log(JSON.stringify({ first, second, directory: mode(dirname(first)), file: mode(first), size: statSync(first).size }));
  `;
  const child = Bun.spawn([process.execPath, "-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  const text = await new Response(child.stdout).text();
  await child.exited;
  return JSON.parse(text) as { first: string; second: string; directory: string; file: string; size: number };
}

const program = () => new Directory({ abeval: new Uint8Array(100_000) });

/** A directory that everybody may enter, below which only this user can make names. */
function parent(): Directory {
  const directory = new Directory();
  chmodSync(directory.path, 0o755);
  return directory;
}

testNeeding(ROOT_USER)("root's executable is copied once to a place that only root may write", async () => {
  using original = program();
  using top = parent();
  const place = join(top.path, "abeval");
  const copy = await copyTwice(join(original.path, "abeval"), place);
  const again = await copyTwice(join(original.path, "abeval"), place);
  expect({ ...copy, first: copy.first.startsWith(`${place}/abeval-100000-`) }).toEqual({
    ...{ first: true, second: copy.first, directory: "755", file: "755", size: 100_000 },
  });
  expect({ again: again.first, there: readdirSync(place).length }).toEqual({ again: copy.first, there: 1 });
});

function made(place: string): string {
  mkdirSync(place);
  return place;
}

const spoiled: readonly (readonly [how: string, spoil: (place: string) => void])[] = [
  ["a directory that everybody may write", (place) => chmodSync(made(place), 0o777)],
  ["a directory of another user", (place) => chownSync(made(place), OTHER_USER, OTHER_USER)],
  ["a link", (place) => symlinkSync("/tmp", place)],
];

describe.each([...spoiled])("%s in its place", (_how, spoil) => {
  testNeeding(ROOT_USER)("stops nobody and leaves nothing", async () => {
    using original = program();
    using top = parent();
    const place = join(top.path, "abeval");
    spoil(place);
    const copy = await copyTwice(join(original.path, "abeval"), place);
    expect({ ...copy, first: copy.first.startsWith(place) }).toEqual({
      ...{ first: false, second: copy.first, directory: "711", file: "755", size: 100_000 },
    });
    expect({ left: existsSync(join(copy.first, "..")) }).toEqual({ left: false });
  });
});

testNeeding(ROOT_USER)("a place below a directory that others may write is never used", async () => {
  using original = program();
  using top = new Directory();
  chmodSync(top.path, 0o1777);
  const { first } = await copyTwice(join(original.path, "abeval"), join(top.path, "abeval"));
  expect(first.startsWith(top.path)).toBe(false);
});

testNeeding(ROOT_USER)("copies of versions that nobody starts, and half ones, are removed", async () => {
  using original = program();
  using top = parent();
  const place = join(top.path, "abeval");
  mkdirSync(join(place, "draft-killed"), { recursive: true });
  await Bun.write(join(place, "abeval-1-1"), "an old version");
  for (const name of ["draft-killed", "abeval-1-1"]) utimesSync(join(place, name), 1, 1);
  const { first } = await copyTwice(join(original.path, "abeval"), place);
  expect(readdirSync(place).map((name) => join(place, name))).toEqual([first]);
});
