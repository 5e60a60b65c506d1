import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { abeval, scenarioFile } from "../abeval.ts";
import { temporaryDirectory } from "../temporary.ts";

const run = (state: string) => abeval(["run", scenarioFile("pager-last-page"), "--state-dir", state, "--quiet"]);

const OBSTACLES: readonly (readonly [what: string, put: (state: string) => unknown, said: string])[] = [
  ["a pipe", (state) => Bun.spawnSync(["mkfifo", join(state, "sessions.db")]), "sessions.db: is not a file"],
  ["a directory", (state) => mkdirSync(join(state, "sessions.db")), "sessions.db: is not a file"],
  ["a device", (state) => symlinkSync("/dev/zero", join(state, "sessions.db")), "sessions.db: is not a file"],
];

test.each(OBSTACLES)("%s in the place of the database is refused at once", async (_what, put, said) => {
  using directory = temporaryDirectory();
  put(directory.path);
  const { status, stderr } = await run(directory.path);
  expect(stderr).toContain(said);
  expect(status).toBe(2);
});

test.each(["sessions", ".owners"])(
  "%s that is a link is refused, and nothing is written where it leads",
  async (name) => {
    using directory = temporaryDirectory();
    const [state, elsewhere] = [join(directory.path, "state"), join(directory.path, "elsewhere")];
    for (const path of [state, elsewhere]) mkdirSync(path);
    symlinkSync(elsewhere, join(state, name));
    const { status, stderr } = await run(state);
    expect(stderr).toContain(`${name}: is a link; put a directory in its place`);
    expect([status, readdirSync(elsewhere)]).toEqual([2, []]);
  },
);
