import type { Recordings } from "../../arms/recording/recordings.ts";
import { Failure, ofArm, ofCheck } from "../../domain/failure.ts";
import type { Scenario } from "../../domain/scenario.ts";
import type { SessionSettings } from "../../domain/session-settings.ts";
import { postedChecks } from "../../domain/task.ts";
import type { Flag } from "../../domain/verdict.ts";
import { installDigests } from "./agent-runner.ts";
import { judgeModelName } from "./choose-judge.ts";
import type { SessionServices } from "./services.ts";

interface RecordedRun {
  readonly judge_model?: string;
  /** Its own number in its series, which no other trial has. */
  readonly series_trial?: number;
}

/**
 * What a session is recorded on or replayed from; undefined: neither. Writes nothing.
 * @throws Failure `invalid_request` for a recording that is missing, does not fit or is in the way, and for a replay that would ask somebody
 */
export async function openRecordings(
  services: Pick<SessionServices, "recordings" | "judge_model" | "agents_dir">,
  { name, task, arms, rubric, replay }: Scenario,
  { judge_model, series_trial }: RecordedRun,
): Promise<Recordings | undefined> {
  if (services.recordings === undefined) return undefined;
  if (services.recordings.mode === "replay") demandNobodyAsked({ task, arms });
  const installs = await installDigests(services, arms);
  return await services.recordings.open({
    ...{ scenario: name, task, arms, installs, trial: series_trial, ignore: replay?.ignore ?? [] },
    judge_model: judgeModelName(services, judge_model, rubric.judge.model),
  });
}

/** Programs of users are not recorded, so nothing could answer in their place. */
function demandNobodyAsked({ task, arms }: Pick<Scenario, "task" | "arms">): void {
  const asked = (what: string, mend: string) =>
    new Failure("invalid_request", `${what}, which no recording has, and a replay asks nobody; ${mend}`);
  const arm = arms.find(({ endpoint }) => endpoint !== undefined);
  if (arm) throw ofArm(arm.id, asked("it is asked at its endpoint", "run it without --replay and ABEVAL_CASSETTES"));
  const [check] = postedChecks(task);
  if (check === undefined) return;
  throw ofCheck(
    check.id,
    asked("it is posted to a program", "take it out, or run without --replay and ABEVAL_CASSETTES"),
  );
}

/** What a reader should know of a replay. */
export function toldOfReplay(recordings: Recordings | undefined): {
  readonly settings: Pick<SessionSettings, "replayed">;
  readonly flags: readonly Flag[];
} {
  const replayed = [...(recordings?.replayed ?? [])];
  return replayed.length === 0 ? { settings: {}, flags: [] } : { settings: { replayed }, flags: ["replayed"] };
}
