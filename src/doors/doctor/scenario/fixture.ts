import { counted } from "../../../domain/counted.ts";
import { type Check, pass, warn } from "../check.ts";
import { IDLE } from "../idle.ts";
import type { DryRun } from "./dry-run.ts";

/** Each arm and each probe gets a copy. Beyond this size copying takes noticeable time. */
const LARGE_BYTES = 64_000_000;

export const fixtureFiles: Check<DryRun> = {
  id: "fixture.files",
  title: "Fixture can be copied",
  async run({ pristine, loaded }) {
    const files = await pristine.list();
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    const size = `${counted(files.length, "file")}, ${(bytes / 1000).toFixed(1)} kB`;
    if (bytes > LARGE_BYTES) return warn(`${size}: every arm and every probe copies it`, "leave out what no arm needs");
    return pass(loaded.definition.task.fixture === null ? "an empty workspace" : size);
  },
};

/** Directories of version control. They may hold the fix. */
const HISTORY = /(^|\/)(\.git|\.hg|\.svn|\.bzr|\.jj|\.pijul|_darcs|_FOSSIL_|\.fslckout|CVS)(\/|$)/;

export const fixtureHistory: Check<DryRun> = {
  id: "fixture.history",
  title: "Fixture has no history inside",
  needs: ["fixture.files"],
  async run({ pristine }) {
    const found = (await pristine.list()).find(({ path }) => HISTORY.test(path));
    return found === undefined
      ? pass("none found")
      : warn(`${found.path}: the arms can read it, and it may hold the fix`, "remove it from the fixture");
  },
};

export const fixtureSetup: Check<DryRun> = {
  id: "fixture.setup",
  title: "Setup runs",
  needs: ["fixture.files"],
  async run({ pristine, loaded }, signal) {
    const { setup } = loaded.definition.task;
    await pristine.setup(setup, signal);
    return pass(setup.length === 0 ? IDLE.no_setup : setup.map(({ run }) => run).join("; "));
  },
};
