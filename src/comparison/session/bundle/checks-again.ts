import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openPristine } from "../../../arms/workspace/pristine.ts";
import type { Pristine } from "../../../arms/workspace/workspace.ts";
import type { BundleFile, StandIn } from "../../../domain/baseline.ts";
import { canonicalJson } from "../../../domain/canonical-json.ts";
import { memberName, withInputId } from "../../../domain/member.ts";
import { sha256 } from "../../../domain/sha256.ts";
import type { SeriesSetup } from "../../planning/prepare-series.ts";
import type { SessionPlan } from "../../planning/prepare-session.ts";
import type { SessionServices } from "../../planning/services.ts";
import { workspacePlaces } from "../../planning/task-image.ts";
import { filesSource, fixtureSource } from "../../scenario/fixture-source.ts";
import type { LoadedScenario } from "../../scenario/loaded-scenario.ts";
import { bundleFault } from "./bundle-bytes.ts";
import { compareChecks, type StoredWork } from "./compare-checks.ts";

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
  const fault = await compareChecks({ plan, stored, workspace, redact: services.redact }, NEVER);
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
