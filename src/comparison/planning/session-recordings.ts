import type { Recordings } from "../../arms/recording/recordings.ts";
import type { Scenario } from "../../domain/scenario.ts";
import type { SessionSettings } from "../../domain/session-settings.ts";
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
 * @throws Failure `invalid_request` for a recording that is missing, does not fit or is in the way
 */
export async function openRecordings(
  services: Pick<SessionServices, "recordings" | "judge_model" | "agents_dir">,
  { name, task, arms, rubric, replay }: Scenario,
  { judge_model, series_trial }: RecordedRun,
): Promise<Recordings | undefined> {
  if (services.recordings === undefined) return undefined;
  const installs = await installDigests(services, arms);
  return await services.recordings.open({
    ...{ scenario: name, task, arms, installs, trial: series_trial, ignore: replay?.ignore ?? [] },
    judge_model: judgeModelName(services, judge_model, rubric.judge.model),
  });
}

/** What a reader should know of a replay. */
export function toldOfReplay(recordings: Recordings | undefined): {
  readonly settings: Pick<SessionSettings, "replayed">;
  readonly flags: readonly Flag[];
} {
  const replayed = [...(recordings?.replayed ?? [])];
  return replayed.length === 0 ? { settings: {}, flags: [] } : { settings: { replayed }, flags: ["replayed"] };
}
