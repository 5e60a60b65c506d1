import type { Workspace } from "../../../arms/workspace/workspace.ts";
import type { StandIn } from "../../../domain/baseline.ts";
import { tally } from "../../../domain/equal-work.ts";
import type { ChangedFile, Changes, CheckResult, ProbeResult } from "../../../domain/evidence.ts";
import { Mistake } from "../../../domain/failure.ts";
import { isUnknown } from "../../../domain/size-of.ts";
import type { Probe, ProbeCheck } from "../../../domain/task.ts";
import { answerOf, probeOf, redactChanges } from "../../evidence/collect.ts";
import type { SessionPlan } from "../../planning/prepare-session.ts";
import { probeSource } from "../../scenario/materials.ts";

export type StoredWork = Awaited<ReturnType<StandIn["load"]>>;

interface Comparing {
  readonly plan: SessionPlan;
  readonly stored: StoredWork;
  /** The fixture, untouched. */
  readonly workspace: Workspace;
  readonly redact: (text: string) => string;
}

/** Why stored results are not those of the stored change. */
interface ChecksFault {
  readonly what: string;
  /** The change is not stored whole, so nobody can say that something is wrong. */
  readonly lacks: boolean;
}

/** Makes the stored change and runs the hidden checks on it. Null where they give what is stored. @throws as `probeOf` */
export async function compareChecks(comparing: Comparing, signal: AbortSignal): Promise<ChecksFault | null> {
  const { plan, stored, workspace } = comparing;
  const { probe } = plan.scenario.task;
  const { summary } = stored;
  if (probe === null) return null;
  const results = summary.probe;
  if (results === null) return summary.changes === null ? null : different("it has none");
  const claimed = claimOf(probe, results);
  if (claimed !== null) return different(claimed);
  const { changes } = summary;
  if (changes !== null && !(await isMade(comparing, changes, signal)))
    return { what: "a file of its change is not stored as it was", lacks: true };
  const { policies, task, input } = plan.scenario;
  const left = { workspace, ...answerOf(summary), calls: [], decisions: stored.decisions };
  const shared = { task, input, policies, overlay: probeSource(plan.loaded), redact: comparing.redact };
  const checks = probe.checks.filter(isRepeated(results));
  const again = await probeOf({ ...left, ...shared, changes: changes ?? NOTHING }, { ...probe, checks }, signal);
  const turned = again.checks.find((check) => hasPassed(check) !== hasPassed(named(results, check.id)));
  return turned ? different(`${turned.id} was ${hasPassed(turned) ? "failed" : "passed"}, and is not now`) : null;
}

const different = (what: string): ChecksFault => ({ what, lacks: false });

const NOTHING: Changes = { files: [], patch: "", digest: "", truncated: false };

const hasPassed = (check: CheckResult | undefined) => check?.status === "pass";

const named = ({ checks }: ProbeResult, wanted: string) => checks.find(({ id }) => id === wanted);

/** The log of calls is cut when it is stored, and chance decided the others. */
const isRepeated = (results: ProbeResult) => (check: ProbeCheck) =>
  check.called === undefined && named(results, check.id) !== undefined;

/** What the results say beyond passed and failed must be what the checks and their sum say. */
function claimOf({ checks }: Probe, results: ProbeResult): string | null {
  const all = new Map([...results.checks, ...(results.not_repeatable ?? [])].map((result) => [result.id, result]));
  const missing = checks.find(({ id }) => !all.has(id));
  if (missing) return `${missing.id} is missing`;
  const known = new Map(checks.map((check) => [check.id, check]));
  const odd = [...all.values()].find(({ id, required, weight, before }) => {
    const check = known.get(id);
    return check?.required !== required || check.weight !== weight || check.before !== before;
  });
  if (odd) return `${odd.id} is another check`;
  const { score, passed, total } = tally(results.checks);
  return score === results.score && passed === results.passed && total === results.total ? null : "their sum is wrong";
}

/** Makes a change of the texts that are stored of it. False where that gives another one. */
async function isMade(comparing: Comparing, changes: Changes, signal: AbortSignal): Promise<boolean> {
  const { workspace, redact } = comparing;
  if (isUnknown(changes)) return false;
  try {
    for (const file of changes.files) if (!(await isWritten(workspace, file))) return false;
    if (changes.mode_changed && !(await areTurned(workspace, changes.mode_changed, signal))) return false;
    const made = redactChanges(await workspace.changes(), redact);
    return made.digest === changes.digest && made.patch === changes.patch;
  } catch (error) {
    if (error instanceof Mistake) return false;
    throw error;
  }
}

async function isWritten(workspace: Workspace, { path, status, after }: ChangedFile): Promise<boolean> {
  if (status === "deleted") await workspace.remove(path);
  else if (after === null) return false;
  else await workspace.writeText(path, after);
  return true;
}

const TURN = { timeout_ms: 10_000, max_output_bytes: 1_000, network: "none" } as const;

/** Characters of a command; a shell takes no more than 128 KiB. */
const COMMAND_CHARS = 100_000;

/** Makes files executable, or no longer. None is a link: that could lead out of the workspace. */
async function areTurned(workspace: Workspace, paths: readonly string[], signal: AbortSignal): Promise<boolean> {
  const files = new Set((await workspace.list()).map(({ path }) => path));
  const words = paths.map((path) => `'./${path.replaceAll("'", "'\\''")}'`).join(" ");
  if (words.length > COMMAND_CHARS || !paths.every((path) => files.has(path))) return false;
  const run = `for file in ${words}; do if [ -x "$file" ]; then chmod -x "$file"; else chmod +x "$file"; fi; done`;
  return (await workspace.exec({ run, ...TURN }, signal)).exit_code === 0;
}
