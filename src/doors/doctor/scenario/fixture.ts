import { redactKeyShapes } from "../../../arms/model/redaction.ts";
import { counted } from "../../../domain/number-text.ts";
import { pathOfPatch, readingPatch } from "../../../domain/patch.ts";
import { globMatcher } from "../../../domain/path-glob.ts";
import { steadily } from "../../../runtime/pace.ts";
import { type Check, fail, IDLE, pass, warn } from "../check.ts";
import type { DryRun } from "./dry-run.ts";
import { fixtureHistory } from "./history.ts";
import { leakChecks } from "./leaks.ts";

/** Each arm and each probe gets a copy. Beyond this size copying takes noticeable time. */
const LARGE_BYTES = 64_000_000;

const fixtureFiles: Check<DryRun> = {
  id: "fixture.files",
  title: "Fixture can be copied",
  async run({ pristine }) {
    const files = await pristine.list();
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    const size = `${counted(files.length, "file")}, ${(bytes / 1000).toFixed(1)} kB`;
    if (bytes > LARGE_BYTES)
      return warn(`${size}: every arm and every check run copies it`, "remove what no arm needs");
    return pass(files.length === 0 ? "an empty workspace" : size);
  },
};

/** Every arm can read and send what they hold. */
const fixtureVariables: Check<DryRun> = {
  id: "fixture.variables",
  title: "Variables of commands hold no key",
  async run({ loaded }) {
    const env = Object.entries(loaded.definition.task.fixture?.env ?? {});
    const keys = env.filter(([, value]) => redactKeyShapes(value) !== value).map(([name]) => name);
    if (keys.length > 0)
      return fail(`${keys.join(", ")}: holds what looks like a key`, "remove it: abeval gives no command a key");
    return pass(env.length === 0 ? "there are none" : env.map(([name]) => name).join(", "));
  },
};

const fixtureSetup: Check<DryRun> = {
  id: "fixture.setup",
  title: "Setup runs",
  needs: ["fixture.files"],
  async run({ pristine, loaded }, signal) {
    const { setup, fixture } = loaded.definition.task;
    await pristine.setup(setup, signal);
    const done = [...setup.map(({ run }) => run), ...(fixture?.repository ? ["one git commit of all files"] : [])];
    return pass(done.length === 0 ? IDLE.no_setup : done.join("; "));
  },
};

/** A pattern that fits no file is most likely a typo. A plain name may be that of a file to be written. */
export const globs: Check<DryRun> = {
  id: "fixture.globs",
  title: "Path globs match something",
  needs: ["fixture.setup"],
  async run({ pristine, loaded }) {
    const { task, policies } = loaded.definition;
    const { writable, protected: guarded } = policies.paths;
    const fixed = task.reference_fix === null ? [] : await steadily(readingPatch(task.reference_fix.patch));
    const paths = [...(await pristine.list()).map(({ path }) => path), ...fixed.map(pathOfPatch)];
    const idle = Object.entries({ writable, protected: guarded, deliverable: task.deliverable }).flatMap(
      ([list, patterns]) => patterns.filter((glob) => isIdle(glob, paths)).map((glob) => `${list} ${glob}`),
    );
    return idle.length === 0
      ? pass("each does")
      : warn(`no file matches ${idle.join(", ")}`, "correct it: globs start at the top of the workspace");
  },
};

const isIdle = (glob: string, paths: readonly string[]) =>
  glob !== "**" && /[*?[{]/.test(glob) && !paths.some(globMatcher([glob]));

export const fixtureChecks: readonly Check<DryRun>[] = [
  fixtureFiles,
  fixtureVariables,
  fixtureHistory,
  ...leakChecks,
  fixtureSetup,
];
