import { statSync } from "node:fs";
import type { RecordingServices } from "../../../arms/recording/record.ts";
import type { RecordingDirectory } from "../../../arms/recording/recordings.ts";
import { UsageError } from "../flags/parse-arguments.ts";
import type { SharedSettings } from "../flags/service-flags.ts";

/** A recording with a fault fails the command, although the results are stored; notices have named what is missing. */
export const isRecordedWhole = (recordings: RecordingDirectory | undefined): boolean =>
  recordings === undefined || recordings.faults.length === 0;

export interface RecordingSettings extends Readonly<SharedSettings["recordings"]> {
  /** Only `run` records. */
  readonly record?: string | undefined;
}

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
