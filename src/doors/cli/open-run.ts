import { plainText } from "../../domain/plain-text.ts";
import { UsageError } from "./flags/arguments.ts";
import { recordingSettings } from "./flags/recording-flags.ts";
import type { RunArguments } from "./flags/run-arguments.ts";
import { sharedSettings } from "./flags/service-flags.ts";
import { openServices, type PreparedServices, type ServiceOptions } from "./services/services.ts";
import { isStdoutClosed } from "./terminal/terminal.ts";

/** @throws UsageError where the result would be lost */
export function demandStdout(result: "verdict" | "series"): void {
  if (isStdoutClosed())
    throw new UsageError(`stdout is closed, and the ${result} goes there; send it to a file, or to /dev/null`);
}

/** The services of one `abeval run`, which end with it. @throws as `openServices` and `sharedSettings` do */
export async function openRun(
  args: RunArguments,
  places: Pick<ServiceOptions, "scenarios_dirs" | "max_sessions" | "max_queued">,
): Promise<PreparedServices> {
  // With --keep-workspaces the user must learn where they are, even with --quiet.
  const quiet = args.has("quiet") && !args.has("keep-workspaces");
  // The run goes on when stderr is closed or full.
  if (!args.has("quiet")) process.stderr.on("error", () => undefined);
  return await openServices({
    ...(await sharedSettings(args)),
    ...places,
    recordings: recordingSettings(args, args.value("record")),
    notice: (line) => quiet || process.stderr.write(`${plainText(line)}\n`),
  });
}
