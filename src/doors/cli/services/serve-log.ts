import { plainText } from "../../../domain/plain-text.ts";
import { systemClock } from "../../../runtime/clock.ts";
import type { LogRequest } from "../../http/request-log.ts";

export const LOG_FORMATS = ["text", "json", "none"] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

interface Log {
  /** Absent when requests are not logged. */
  readonly request: LogRequest | undefined;
  /** One line for the operator. */
  readonly notice: (line: string) => void;
}

/** Lines on stderr. */
export function openLog(format: LogFormat): Log {
  const render = format === "json" ? inJson : inText;
  return { request: requestLog(format), notice: (line) => void process.stderr.write(render(line)) };
}

function requestLog(format: LogFormat): LogRequest | undefined {
  if (format === "none") return undefined;
  const shown = format === "json" ? JSON.stringify : inOneLine;
  return (line) => void process.stderr.write(`${shown(line)}\n`);
}

const inOneLine = ({ at, method, path, status, ms }: Parameters<LogRequest>[0]) =>
  `${at.slice(11, 19)} ${status} ${method} ${path} ${ms} ms`;

const inText = (line: string) => `abeval: ${plainText(line)}\n`;
const inJson = (notice: string) => `${JSON.stringify({ at: systemClock.now().toISOString(), notice })}\n`;
