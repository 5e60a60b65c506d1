import { cut } from "../../../domain/excerpt.ts";
import { counted } from "../../../domain/number-text.ts";
import { type Check, pass, warn } from "../check.ts";
import type { DryRun } from "./dry-run.ts";

/** Directories of version control. They may hold the fix. */
const HISTORY = /(^|\/)(\.git|\.hg|\.svn|\.bzr|\.jj|\.pijul|_darcs|_FOSSIL_|\.fslckout|CVS)(\/|$)/;

/** What a model reads with `git log --all` can be the fix: images of public benchmarks came with it. */
export const fixtureHistory: Check<DryRun> = {
  id: "fixture.history",
  title: "Fixture holds no history with the fix",
  needs: ["fixture.files"],
  async run(dryRun, signal) {
    const found = (await dryRun.pristine.list()).find(({ path }) => HISTORY.test(path));
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
};

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
