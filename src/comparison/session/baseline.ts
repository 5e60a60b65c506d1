import { createHash } from "node:crypto";
import { type Baseline, type BaselineMember, type BaselineRun, runsDigests } from "../../domain/baseline.ts";
import { didYouMeanAmong } from "../../domain/did-you-mean.ts";
import { cut } from "../../domain/excerpt.ts";
import { Failure } from "../../domain/failure.ts";
import { type MemberKey, memberName, withInputId } from "../../domain/member.ts";
import type { SeriesRecord } from "../../domain/series-record.ts";
import { preferredSide } from "../../domain/series-status.ts";
import type { SessionOutcome } from "../../domain/session.ts";
import type { TrialRow } from "../../domain/trial.ts";
import { Pace } from "../../runtime/pace.ts";
import type { SessionStore } from "../../store/store.ts";
import { evidenceDigestsOf } from "../planning/comparison.ts";
import type { SessionServices } from "../planning/services.ts";
import { scenarioDigest } from "../scenario/digest.ts";
import type { LoadedScenario } from "../scenario/loaded-scenario.ts";
import { storedSession } from "./stored-arm.ts";

/** The stored runs of a series, as a baseline. @throws Failure `unknown_series`, `invalid_request` */
export async function storedBaseline(store: SessionStore, series_id: string): Promise<Baseline> {
  const record = await seriesRecord(store, series_id);
  const all = await store.trials({ series_id });
  const rows = all.filter(isWhole);
  // A person who cancelled a trial may have seen how it went.
  const chosen = all.some(({ state }) => state === "cancelled");
  const members = new Map<MemberKey, BaselineMember>();
  for (const [name, own] of Map.groupBy(rows, (row) => memberName(row))) {
    const [first] = own;
    if (first === undefined) continue;
    const session = await storedSession({ store }, first.session_id);
    members.set(name, {
      evidence_digests: evidenceDigestsOf(session),
      definition: session.definition,
      runs: own.map((row) => runOf(store, row, timeOf(row.session_id) ?? record.created_at)),
    });
  }
  const digests = runsDigests(
    series_id,
    rows.map((row) => row.session_id),
  );
  const preferred = preferredSide(record.standing.conclusion) ?? null;
  const stopped = chosen || !isOfFixedLength(record);
  return { ...digests, series_id, at: record.created_at, stopped, preferred, members };
}

async function seriesRecord({ series, persistent }: SessionStore, series_id: string): Promise<SeriesRecord> {
  if (series_id.startsWith("results-"))
    throw new Failure(
      "invalid_request",
      `${series_id}: results of runs made elsewhere have no runs that could stand in`,
    );
  const record = await series.read(series_id);
  if (record === undefined)
    throw new Failure(
      "unknown_series",
      `there is no series "${series_id.slice(0, 100)}"${persistent ? "" : "; give the --state-dir or --database-url that holds it, or a file that --bless wrote"}`,
    );
  if (record.plan.contest)
    throw new Failure(
      "invalid_request",
      `${series_id} is a contest of ${record.plan.contest.arms.length} arms, of which none can stand in yet; name a series of two arms`,
    );
  if (record.state === "running")
    throw new Failure("invalid_request", `${series_id} is still running: wait for its end`);
  return record;
}

/** Both arms ran to their ends here, and were judged. What failed was blind to the result. */
const isWhole = ({ state, outcome, stored_run }: TrialRow) =>
  state === "completed" && outcome !== null && stored_run === undefined;

/** Its length was fixed before its first trial, and it ran to it. */
const isOfFixedLength = ({ state, stop, limits, changes }: SeriesRecord): boolean =>
  state === "completed" &&
  stop === "exhausted" &&
  !limits.stop_when_sure &&
  changes.every((change) => change.limits.trials === limits.trials && !change.limits.stop_when_sure);

function runOf(store: SessionStore, { session_id }: TrialRow, at: string): BaselineRun {
  const load = async () => {
    const session = await storedSession({ store }, session_id);
    return evidenceIn(session);
  };
  return { session_id, at, load };
}

function evidenceIn({ arms: [a, b], decisions }: SessionOutcome) {
  const of = (arm: typeof a) => ({ summary: arm, decisions: decisions[arm.arm_id] ?? [] });
  return [of(a), of(b)] as const;
}

/** The end of a session's id is the moment at which it was accepted. */
function timeOf(session_id: string): string | undefined {
  const [, y, mo, d, h, mi, s, ms] = /-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z$/.exec(session_id) ?? [];
  return y === undefined ? undefined : `${y}-${mo}-${d}T${h}:${mi}:${s}.${ms}Z`;
}

/** Bytes of a bundle: small enough for a repository. */
const BUNDLE_BYTES = 64 * 1024 * 1024;

/**
 * A series as a bundle, one line after the other: its runs with their evidence, and their digest at the end.
 * @throws Failure `unknown_series`, `invalid_request` for a series that is no fair sample, or too large
 */
export async function* blessedLines(
  { store, redact }: Pick<SessionServices, "store" | "redact">,
  series_id: string,
): AsyncGenerator<string> {
  const record = await seriesRecord(store, series_id);
  if (!isOfFixedLength(record)) throw new Failure("invalid_request", `${series_id} ${whyNot(record)}`);
  if (record.plan.baseline)
    throw new Failure(
      "invalid_request",
      `${series_id} has a baseline itself: one of its arms did not run; bless a series of which both arms ran`,
    );
  const { members, at, preferred, stopped } = await storedBaseline(store, series_id);
  if (stopped)
    throw new Failure(
      "invalid_request",
      `${series_id} has cancelled trials, for an unknown reason; bless a series that ran to its end`,
    );
  if (members.size < record.plan.scenarios.length)
    throw new Failure("invalid_request", `${series_id} has a scenario without a complete trial; run it again`);
  const hash = createHash("sha256");
  const pace = new Pace();
  let bytes = 0;
  const line = async (value: object) => {
    const text = `${redact(JSON.stringify(value))}\n`;
    hash.update(text);
    bytes += Buffer.byteLength(text);
    await pace.bytes(bytes);
    if (bytes > BUNDLE_BYTES)
      throw new Failure(
        "invalid_request",
        `${series_id} makes more than ${BUNDLE_BYTES / (1024 * 1024)} MiB; bless a series of fewer trials, or name it by its id beside its --state-dir`,
      );
    return text;
  };
  yield await line({ type: "abeval-baseline", version: 1, series_id, at, preferred });
  for (const { definition, evidence_digests, runs } of members.values()) {
    const member = { scenario: definition.name, ...withInputId(definition.input?.id) };
    yield await line({ type: "scenario", ...member, evidence_digests, definition });
    for (const { session_id, at: ran, load } of runs)
      yield await line({ type: "run", ...member, session_id, at: ran, arms: await load() });
  }
  yield `${JSON.stringify({ type: "end", digest: hash.digest("hex") })}\n`;
}

function whyNot({ state, stop, limits, changes }: SeriesRecord): string {
  if (state !== "completed") return `is ${state}: only a series that ran to its end can be blessed`;
  if (limits.stop_when_sure || changes.some((change) => change.limits.stop_when_sure))
    return "may have been stopped by what it showed, and the runs of such a winner are better than its arm is; bless one that ran without --stop-when-sure";
  if (stop !== "exhausted")
    return `was ended by its ${stop === "budget" ? "cost limit" : String(stop)}; bless one that ran all its trials`;
  return "was made longer after it was seen; bless one whose number of trials was fixed";
}

/**
 * The scenario with one of its arms twice, under the ids `x` and `x.again`: nothing can be better there, so whatever prefers
 * one of them is a fault of the set-up.
 * @throws Failure `unknown_arm`
 */
export function againstItself(loaded: LoadedScenario, arm_id: string): LoadedScenario {
  const { arms } = loaded.definition;
  const arm = arms.find(({ id }) => id === arm_id);
  if (arm === undefined) {
    const known = arms.map(({ id }) => id);
    const told = didYouMeanAmong(arm_id, known, `its arms: ${known.join(", ")}`);
    throw new Failure("unknown_arm", `${loaded.file}: there is no arm "${cut(arm_id)}"${told}`);
  }
  const definition = { ...loaded.definition, arms: [arm, { ...arm, id: `${arm.id}.again` }] as typeof arms };
  return { ...loaded, definition, digest: scenarioDigest(definition) };
}
