import { plainText } from "../../../domain/plain-text.ts";
import type { SessionOutcome } from "../../../domain/session.ts";
import { UsageError } from "../flags/parse-arguments.ts";
import type { RunArguments } from "../flags/run-flags.ts";
import type { PreparedServices } from "../services/services.ts";

/** Whether --otel names an address and no file. @throws UsageError for an address that cannot be one */
export function isEndpoint(target: string): boolean {
  if (!/^https?:/i.test(target)) return false;
  if (URL.canParse(target)) return true;
  throw new UsageError(`--otel ${target}: is no address; an endpoint is like http://127.0.0.1:4318`);
}

type Sessions = AsyncIterable<SessionOutcome> | Iterable<SessionOutcome>;

/**
 * What the file of --otel holds, a session after the other, so that the spans of one are in memory; null where none was asked for.
 * @param sessions in order, read when they are asked for
 */
export function telemetryLines(
  args: RunArguments,
  { version }: Pick<PreparedServices, "version">,
  sessions: Sessions,
): AsyncIterable<string> | null {
  const target = args.value("otel");
  return target === undefined || isEndpoint(target) ? null : linesOf(sessions, version);
}

async function* linesOf(sessions: Sessions, version: string): AsyncGenerator<string, void, void> {
  const { sessionSpan, telemetryOf } = await telemetry();
  for await (const session of sessions) yield (await telemetryOf(sessionSpan(session), version)).lines();
}

/**
 * Sends the sessions one after the other where --otel names an endpoint. When it does not take one, that is one warning, nothing
 * more is sent, and it is never the run's fault.
 */
export async function sendTelemetry(
  args: RunArguments,
  { version, otlp_headers, redact }: Pick<PreparedServices, "version" | "otlp_headers" | "redact">,
  sessions: Sessions,
): Promise<void> {
  const target = args.value("otel");
  if (target === undefined || !isEndpoint(target)) return;
  const { sessionSpan, telemetryOf } = await telemetry();
  for await (const session of sessions) {
    const fault = await (await telemetryOf(sessionSpan(session), version)).send(target, otlp_headers);
    if (fault === undefined) continue;
    warn(redact(`--otel ${withoutPassword(target)}: not all was sent (${fault}); the run is not affected`));
    return;
  }
}

/** Loaded when it is needed. */
const telemetry = async () => ({
  ...(await import("../../telemetry/session-spans.ts")),
  ...(await import("../../telemetry/export-sessions.ts")),
});

const warn = (line: string) => void process.stderr.write(plainText(`abeval: ${line}\n`));

function withoutPassword(target: string): string {
  const url = new URL(target);
  url.username = "";
  url.password = "";
  return url.href;
}
