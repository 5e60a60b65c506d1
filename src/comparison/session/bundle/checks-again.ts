import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openPristine } from "../../../arms/workspace/pristine.ts";
import type { Pristine, Workspace } from "../../../arms/workspace/workspace.ts";
import type { BundleFile, StandIn } from "../../../domain/baseline.ts";
import { canonicalJson } from "../../../domain/canonical-json.ts";
import { isSameResult, resultWord } from "../../../domain/check-result.ts";
import { tally } from "../../../domain/equal-work.ts";
import type { ChangedFile, Changes, CheckResult, ProbeResult } from "../../../domain/evidence.ts";
import { Mistake } from "../../../domain/failure.ts";
import { memberName, withInputId } from "../../../domain/member.ts";
import { sha256 } from "../../../domain/sha256.ts";
import { isUnknown } from "../../../domain/size-of.ts";
import type { Probe, ProbeCheck } from "../../../domain/task.ts";
import { answerOf, probeOf, redactChanges } from "../../evidence/collect.ts";
import type { SeriesSetup } from "../../planning/prepare-series.ts";
import type { SessionPlan } from "../../planning/prepare-session.ts";
import type { SessionServices } from "../../planning/services.ts";
import { workspacePlaces } from "../../planning/task-image.ts";
import { filesSource, fixtureSource } from "../../scenario/fixture-source.ts";
import type { LoadedScenario } from "../../scenario/loaded-scenario.ts";
import { probeSource } from "../../scenario/materials.ts";
import { bundleFault } from "./bundle-bytes.ts";

/** Runs need no signal of their own: each check has its limit, and nothing is spent before. */
const NEVER = new AbortController().signal;

type Services = Omit<SessionServices, "store">;

interface Again {
  readonly services: Services;
  readonly setup: SeriesSetup;
  readonly file: BundleFile;
}

/** A stored run that was not looked at yet, and what its name is when it was. */
interface Unseen {
  readonly plan: SessionPlan;
  readonly stand_in: StandIn;
  readonly stored: StoredWork;
  readonly key: string;
}

/**
 * Runs the hidden checks of a bundle's runs once more on their stored changes: what a file says of them is no result. Runs that
 * the series will not use are left alone, as are those that the state directory knows.
 * @throws Failure `invalid_request` naming the run whose results are others, or whose change is not stored whole
 */
export async function demandSameChecks(services: Services, setup: SeriesSetup): Promise<void> {
  const { baseline, members } = setup;
  if (baseline?.file === undefined) return;
  const checked = members.filter(({ definition }) => definition.task.probe !== null);
  if (checked.length > 0) services.notice("baseline: the hidden checks of its stored runs run again");
  for (const member of checked) await checkMember({ services, setup, file: baseline.file }, member);
}

/** The fixture is made once for all runs of a scenario, and only when one was not looked at. */
async function checkMember(again: Again, member: LoadedScenario): Promise<void> {
  const { baseline, limits } = again.setup;
  const runs = Math.min(limits.trials, baseline?.members.get(memberName(named(member)))?.runs.length ?? 0);
  await using opened = new AsyncDisposableStack();
  let pristine: Pristine | undefined;
  for (let round = 1; round <= runs; round++) {
    const unseen = await unseenRun(again, member, round);
    if (unseen === undefined) continue;
    pristine ??= opened.use(await fixtureOf(again.services, unseen.plan));
    await checkRun(again, unseen, pristine);
    await keep(again.file, unseen.key);
  }
}

const named = ({ definition: { name, input } }: LoadedScenario) => ({ scenario: name, ...withInputId(input?.id) });

async function unseenRun({ setup, file }: Again, member: LoadedScenario, round: number) {
  const plan = await setup.prepare({ trial: round, round, ...named(member) });
  const { sources, evidence_digests } = plan;
  const stand_in = sources.find(({ stored }) => stored)?.stored;
  if (stand_in === undefined) return undefined;
  const stored = await stand_in.load();
  const key = sha256(canonicalJson([stored, evidence_digests.common, CHECKED]));
  return file.kept !== undefined && existsSync(join(file.kept, key)) ? undefined : { plan, stand_in, stored, key };
}

/** Which way of looking a name in the state directory stands for. */
const CHECKED = "checked/1";

async function keep({ kept }: BundleFile, key: string): Promise<void> {
  if (kept === undefined) return;
  await mkdir(kept, { recursive: true });
  await writeFile(join(kept, key), "");
}

async function fixtureOf(services: Services, { loaded, scenario, sandbox }: SessionPlan): Promise<Pristine> {
  const pristine = openPristine({
    ...{ source: fixtureSource(loaded), places: await workspacePlaces(services, loaded) },
    ...{ sandbox, keep: false, clock: services.arm_clock },
  });
  await pristine.setup(scenario.task.setup, NEVER);
  return pristine;
}

async function checkRun({ services, file }: Again, unseen: Unseen, pristine: Pristine): Promise<void> {
  const { plan, stand_in, stored } = unseen;
  const { files } = plan.scenario.arms[stand_in.side === "a" ? 0 : 1];
  await using workspace = pristine.open(files && filesSource(plan.loaded, files));
  const fault = await compareChecks({ plan, stored, workspace, services }, NEVER);
  if (fault === null || (fault.lacks && file.pinned)) return;
  const { session_id, arm_id } = stand_in.from;
  const { name } = plan.scenario;
  throw bundleFault(
    file.shown,
    fault.lacks
      ? `the hidden checks of ${name} cannot run again on what ${arm_id} left in ${session_id}: ${fault.what}; trust this file by its digest, ${file.shown}@sha256:${file.sha256}, or name the series by its id beside its --state-dir`
      : `is not believed: in ${session_id} ${arm_id} has other results of ${name} than its stored change gives (${fault.what}); the file was edited, or a check is not repeatable: bless a new series`,
  );
}

type StoredWork = Awaited<ReturnType<StandIn["load"]>>;

interface Comparing {
  readonly plan: SessionPlan;
  readonly stored: StoredWork;
  /** The fixture, untouched. */
  readonly workspace: Workspace;
  readonly services: Services;
}

/** Why stored results are not those of the stored change. */
interface ChecksFault {
  readonly what: string;
  /** The change is not stored whole, so nobody can say that something is wrong. */
  readonly lacks: boolean;
}

/** Makes the stored change and runs the hidden checks on it. Null where they give what is stored. @throws as `probeOf` */
async function compareChecks(comparing: Comparing, signal: AbortSignal): Promise<ChecksFault | null> {
  const { plan, stored, workspace, services } = comparing;
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
  const shared = { task, input, policies, overlay: probeSource(plan.loaded) };
  const own = { services, redact: services.redact };
  const checks = probe.checks.filter(isRepeated(results));
  const again = await probeOf(
    { ...left, ...shared, ...own, changes: changes ?? NOTHING },
    { ...probe, checks },
    signal,
  );
  const [turned] = again.checks.flatMap((check) => {
    const before = checkIn(results, check.id);
    return before === undefined || isSameResult(check, before) ? [] : [{ id: check.id, was: wordOf(before) }];
  });
  return turned ? different(`${turned.id} was ${turned.was}, and is not now`) : null;
}

const different = (what: string): ChecksFault => ({ what, lacks: false });

const NOTHING: Changes = { files: [], patch: "", digest: "", truncated: false };

const wordOf = (check: CheckResult): string =>
  check.score !== undefined ? resultWord(check) : check.status === "pass" ? "passed" : "failed";

const checkIn = ({ checks }: ProbeResult, wanted: string) => checks.find(({ id }) => id === wanted);

/** The log of calls is cut when it is stored, nobody is asked for a file that somebody sent, and chance decided the others. */
const isRepeated = (results: ProbeResult) => (check: ProbeCheck) =>
  check.called === undefined && check.posted === undefined && checkIn(results, check.id) !== undefined;

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
  const {
    workspace,
    services: { redact },
  } = comparing;
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
