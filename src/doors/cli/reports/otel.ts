import { plainText } from "../../../domain/plain-text.ts";
import type { SessionOutcome } from "../../../domain/session.ts";
import { UsageError } from "../flags/arguments.ts";
import type { RunArguments } from "../flags/run-arguments.ts";
import type { PreparedServices } from "../services/services.ts";

/** Whether --otel names an address and no file. @throws UsageError for an address that cannot be one */
export function isEndpoint(target: string): boolean {
  if (!/^https?:/i.test(target)) return false;
  if (URL.canParse(target)) return true;
  throw new UsageError(`--otel ${target}: is no address; an endpoint is like http://127.0.0.1:4318`);
}

/**
 * What the file of --otel holds; null where none was asked for, or an endpoint was sent it. An endpoint that does not take it is
 * one warning, and never the run's fault.
 * @param sessions in order, read when they are asked for
 */
export async function telemetryText(
  args: RunArguments,
  { version, otlp_headers, redact }: Pick<PreparedServices, "version" | "otlp_headers" | "redact">,
  sessions: AsyncIterable<SessionOutcome> | Iterable<SessionOutcome>,
): Promise<string | null> {
  const target = args.value("otel");
  if (target === undefined) return null;
  const { sessionSpan } = await import("../../telemetry/session-spans.ts");
  const { telemetryOf } = await import("../../telemetry/export-sessions.ts");
  const spans = [];
  for await (const session of sessions) spans.push(sessionSpan(session));
  const telemetry = await telemetryOf(spans, version);
  if (!isEndpoint(target)) return telemetry.lines();
  const fault = await telemetry.send(target, otlp_headers);
  if (fault !== undefined)
    warn(redact(`--otel ${withoutPassword(target)}: not all was sent (${fault}); the run is not affected`));
  return null;
}

const warn = (line: string) => void process.stderr.write(plainText(`abeval: ${line}\n`));

function withoutPassword(target: string): string {
  const url = new URL(target);
  url.username = "";
  url.password = "";
  return url.href;
}
