import { systemClock } from "../clock.ts";
import { plainText } from "../domain/plain-text.ts";
import type { LogRequest } from "../http/door.ts";
import { writeNow } from "./write-now.ts";

export const LOG_FORMATS = ["text", "json", "none"] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

export interface Log {
  /** Absent when requests are not logged. */
  readonly request: LogRequest | undefined;
  /** One line for the operator. */
  readonly notice: (line: string) => void;
}

/** Lines on stderr. Those of requests are gathered for a turn of the event loop, so that a write is not paid for each. */
export function openLog(format: LogFormat): Log {
  if (format === "json") return { request: gathered(JSON.stringify), notice: jsonNotice };
  const notice = (line: string) => tell(`abeval: ${plainText(line)}\n`);
  const request: LogRequest | undefined =
    format === "text"
      ? gathered(({ at, method, path, status, ms }) => `${at.slice(11, 19)} ${status} ${method} ${path} ${ms} ms`)
      : undefined;
  return { request, notice };
}

const jsonNotice = (notice: string) => tell(`${JSON.stringify({ at: systemClock.now().toISOString(), notice })}\n`);

function tell(text: string): void {
  // Of a terminal that takes nothing just now, the stream waits until it does.
  if (!writeNow(2, text)) process.stderr.write(text);
}

function gathered(render: (line: Parameters<LogRequest>[0]) => string): LogRequest {
  let waiting: string[] = [];
  const flush = () => {
    process.stderr.write(`${waiting.join("\n")}\n`);
    waiting = [];
  };
  return (line) => {
    if (waiting.push(render(line)) === 1) setImmediate(flush);
  };
}
