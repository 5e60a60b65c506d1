import { statSync } from "node:fs";
import type { RecordingServices } from "../../../arms/recording/record.ts";
import type { RecordingDirectory } from "../../../arms/recording/recordings.ts";
import { type FlagSpec, type ParsedArguments, UsageError } from "./arguments.ts";

/** Of run alone. */
export const RECORD_FLAG = {
  record: {
    value: "<dir>",
    description: "keep what models' providers are asked and answer in this directory, to be replayed",
  },
} as const satisfies Record<string, FlagSpec>;

/** Of run, serve and mcp. */
export const REPLAY_FLAGS = {
  replay: {
    value: "<dir>",
    description:
      "take providers' replies from recordings in this directory; needs no key, reaches no provider (or ABEVAL_CASSETTES)",
  },
  "replay-strict": { description: "with --replay: a run that does not ask all that was recorded fails" },
  "live-judge": { description: "with --replay: only the arms are replayed, and the judge is asked" },
} as const satisfies Record<string, FlagSpec>;

export interface RecordingSettings {
  /** As given. */
  readonly record: string | undefined;
  /** As given; absent: ABEVAL_CASSETTES decides. */
  readonly replay: string | undefined;
  readonly strict: boolean;
  readonly live_judge: boolean;
}

/** Whoever records wants the recording: the results stand all the same, and notices have said what is missing. */
export const isRecordedWhole = (recordings: RecordingDirectory | undefined): boolean =>
  recordings === undefined || recordings.faults.length === 0;

type ReplayArguments = Pick<ParsedArguments<keyof typeof REPLAY_FLAGS>, "value" | "has">;

export const recordingSettings = ({ value, has }: ReplayArguments, record?: string): RecordingSettings => ({
  record,
  replay: value("replay"),
  strict: has("replay-strict"),
  live_judge: has("live-judge"),
});

/** @param variable the value of ABEVAL_CASSETTES @throws UsageError */
export async function openRecordingDirectory(
  variable: string | undefined,
  { record, replay = variable || undefined, strict, live_judge }: RecordingSettings,
  services: RecordingServices,
): Promise<RecordingDirectory | undefined> {
  if (record !== undefined && replay !== undefined)
    throw new UsageError(
      "--record and a replay (--replay, or ABEVAL_CASSETTES) exclude one another: what is replayed is recorded already",
    );
  if (replay === undefined && (strict || live_judge))
    throw new UsageError(`--${strict ? "replay-strict" : "live-judge"} goes with --replay <dir>`);
  if (record !== undefined) return (await import("../../../arms/recording/record.ts")).recordInto(record, services);
  if (replay === undefined) return undefined;
  if (!statSync(replay, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`--replay ${replay}: is not a directory; --record <dir> makes one`);
  return (await import("../../../arms/recording/replay.ts")).replayFrom(replay, services, { strict, live_judge });
}
