import { redactKeyShapes } from "../../../arms/model/redaction.ts";
import { cut } from "../../../domain/excerpt.ts";
import { counted } from "../../../domain/number-text.ts";
import { pathOfPatch, readingPatch } from "../../../domain/patch.ts";
import { globMatcher } from "../../../domain/path-glob.ts";
import { steadily } from "../../../runtime/pace.ts";
import { after, afterSetup, type Check, check, fail, IDLE, pass, warn } from "../check.ts";
import type { DryRun } from "./dry-run.ts";
import { leakChecks } from "./leaks.ts";

/** Directories of version control. They may hold the fix. */
const HISTORY = /(^|\/)(\.git|\.hg|\.svn|\.bzr|\.jj|\.pijul|_darcs|_FOSSIL_|\.fslckout|CVS)(\/|$)/;

/** What a model reads with `git log --all` can be the fix: images of public benchmarks came with it. */
const fixtureHistory = after("fixture.files")(
  "fixture.history",
  "Fixture holds no history with the fix",
  async (dryRun: DryRun, signal) => {
    const files = await dryRun.pristine.list();
    if (files.length === 0) return pass(IDLE.no_fixture);
    const found = files.find(({ path }) => HISTORY.test(path));
    if (found === undefined) return pass("none found");
    const unknown = warn(`${found.path}: the arms can read it, and it may hold the fix`, "remove it from the fixture");
    const history = found.path.startsWith(".git/") ? historyIn(await dryRun.printed(LOOK, signal, LOOK_MS)) : undefined;
    if (history === undefined) return unknown;
    const { past, others, example, is_committed } = history;
    if (others > 0)
      return warn(
        `.git: ${counted(others, "commit")} ${others === 1 ? "is" : "are"} not an ancestor of the checked-out one${example}: the arms can read later commits, such as the fix`,
        "set `repository: true` in task.fixture to make it a repository of one commit",
      );
    return is_committed ? pass(`.git: ${counted(past, "commit")}, the last of them is checked out`) : unknown;
  },
);

/** Milliseconds for a history of some hundred thousand commits. */
const LOOK_MS = 60_000;

/** Runs where the scenario's commands run, since a repository can name programs. Commits that no branch has count, too. */
const LOOK = `export GIT_DIR=.git GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
past=$(git rev-list --count HEAD) || exit 1
all=$(git cat-file --batch-all-objects --batch-check='%(objecttype)' | grep -c '^commit$')
git -c core.fsmonitor=false diff --no-ext-diff --no-textconv --quiet HEAD -- && is=committed || is=changed
echo "history $past $all $is"
git log --all --reflog --not HEAD -n 1 --format='later %h %s'`;

interface History {
  readonly past: number;
  /** Commits that are not in it. */
  readonly others: number;
  /** One of them in parentheses; empty where no branch and no reflog has one. */
  readonly example: string;
  /** The files are those of the commit that is checked out. */
  readonly is_committed: boolean;
}

/** Undefined where there is no git, or nothing that it can read. */
function historyIn(printed: string): History | undefined {
  const [, past, all, is] = /^history (\d{1,9}) (\d{1,9}) (committed|changed)$/m.exec(printed) ?? [];
  if (past === undefined || all === undefined) return undefined;
  const later = /^later (.*)$/m.exec(printed)?.[1];
  return {
    past: Number(past),
    others: Math.max(0, Number(all) - Number(past)),
    example: later === undefined ? "" : ` (${cut(later, EXAMPLE_CHARS)})`,
    is_committed: is === "committed",
  };
}

const EXAMPLE_CHARS = 100;

/** Each arm and each probe gets a copy. Beyond this size copying takes noticeable time. */
const LARGE_BYTES = 64_000_000;

const fixtureFiles = check("fixture.files", "Fixture can be copied", async ({ pristine }: DryRun) => {
  const files = await pristine.list();
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const size = `${counted(files.length, "file")}, ${(bytes / 1000).toFixed(1)} kB`;
  if (bytes > LARGE_BYTES) return warn(`${size}: every arm and every check run copies it`, "remove what no arm needs");
  return pass(files.length === 0 ? IDLE.no_fixture : size);
});

/** Every arm can read and send what they hold. */
const fixtureVariables = check("fixture.variables", "Variables of commands hold no key", async ({ loaded }: DryRun) => {
  const env = Object.entries(loaded.definition.task.fixture?.env ?? {});
  const keys = env.filter(([, value]) => redactKeyShapes(value) !== value).map(([name]) => name);
  if (keys.length > 0)
    return fail(`${keys.join(", ")}: holds what looks like a key`, "remove it: abeval gives no command a key");
  return pass(env.length === 0 ? IDLE.no_variables : env.map(([name]) => name).join(", "));
});

const fixtureSetup = after("fixture.files")(
  "fixture.setup",
  "Setup runs",
  async ({ pristine, loaded }: DryRun, signal) => {
    const { setup, fixture } = loaded.definition.task;
    await pristine.setup(setup, signal);
    const done = [...setup.map(({ run }) => run), ...(fixture?.repository ? ["one git commit of all files"] : [])];
    return pass(done.length === 0 ? IDLE.no_setup : done.join("; "));
  },
);

/** A pattern that fits no file is most likely a typo. A plain name may be that of a file to be written. */
export const globs = afterSetup("fixture.globs", "Path globs match something", async ({ pristine, loaded }: DryRun) => {
  const { task, policies } = loaded.definition;
  const { writable, protected: guarded } = policies.paths;
  const fixed = task.reference_fix === null ? [] : await steadily(readingPatch(task.reference_fix.patch));
  const paths = [...(await pristine.list()).map(({ path }) => path), ...fixed.map(pathOfPatch)];
  const lists = Object.entries({ writable, protected: guarded, deliverable: task.deliverable });
  if (lists.every(([, patterns]) => !patterns.some(isPattern))) return pass(IDLE.no_globs);
  const idle = lists.flatMap(([list, patterns]) =>
    patterns.filter((glob) => isIdle(glob, paths)).map((glob) => `${list} ${glob}`),
  );
  return idle.length === 0
    ? pass("each does")
    : warn(`no file matches ${idle.join(", ")}`, "correct it: globs start at the top of the workspace");
});

const isPattern = (glob: string) => glob !== "**" && /[*?[{]/.test(glob);

const isIdle = (glob: string, paths: readonly string[]) => isPattern(glob) && !paths.some(globMatcher([glob]));

export const fixtureChecks: readonly Check<DryRun>[] = [
  fixtureFiles,
  fixtureVariables,
  fixtureHistory,
  ...leakChecks,
  fixtureSetup,
];
