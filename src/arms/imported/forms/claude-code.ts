import { asId } from "../../../domain/as-id.ts";
import { asCount, asName, asRecord, asRecords, asText, dig, type LooseRecord } from "../../../domain/lenient.ts";
import { sumKnown, type Usage } from "../../../domain/usage.ts";
import {
  type LogContents,
  type LoggedCall,
  type LoggedTurn,
  type LogReader,
  textOfParts,
  timeIn,
} from "../log-step.ts";

/** Kinds of lines in a session's log of Claude Code. Each line names its session. */
export const isClaudeLine = (line: LooseRecord): boolean =>
  typeof line["sessionId"] === "string" || (line["type"] === "summary" && typeof line["leafUuid"] === "string");

/** Claude Code writes one line for each block of a reply; blocks of one reply share the message's id. */
export function claudeCodeLog(log: LogContents): LogReader {
  log.agent = "claude-code";
  const turns = new Map<string, LoggedTurn>();
  const turnOf = (line: LooseRecord, message: LooseRecord): LoggedTurn => {
    const id = asId(message["id"]) ?? `line ${turns.size}`;
    const known = turns.get(id);
    if (known) return known;
    const side = line["isSidechain"] === true;
    const turn: LoggedTurn = {
      ...{ kind: "turn", text: "", calls: [], usage: null, cost_usd: null, stop_reason: null, side },
      at: timeIn(line["timestamp"]),
    };
    turns.set(id, turn);
    log.steps.push(turn);
    return turn;
  };
  return {
    form: "claude-code",
    read(line) {
      log.version ??= asName(line["version"]) ?? null;
      log.directory ??= asText(line["cwd"]) ?? null;
      const message = asRecord(line["message"]);
      if (message === undefined) return;
      if (line["type"] === "assistant") readReply(log, turnOf(line, message), message);
      if (line["type"] === "user") readResults(log, line, message);
    },
  };
}

function readReply(log: LogContents, turn: LoggedTurn, message: LooseRecord): void {
  const model = asName(message["model"]);
  // What the program itself put into the conversation names no model.
  if (model !== undefined && model !== "<synthetic>") log.model ??= model;
  turn.usage = usageOf(message["usage"]) ?? turn.usage;
  turn.stop_reason = asName(message["stop_reason"]) ?? turn.stop_reason;
  const { content } = message;
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : asRecords(content);
  for (const part of parts) {
    if (part["type"] === "text") turn.text += asText(part["text"]) ?? "";
    if (part["type"] === "tool_use") turn.calls.push(callIn(part));
  }
}

const callIn = (part: LooseRecord): LoggedCall => ({
  id: asId(part["id"]) ?? null,
  name: asName(part["name"]) ?? "",
  input: part["input"],
});

function readResults(log: LogContents, line: LooseRecord, message: LooseRecord): void {
  for (const part of asRecords(message["content"])) {
    if (part["type"] !== "tool_result") continue;
    log.steps.push({
      kind: "result",
      call_id: asId(part["tool_use_id"]) ?? null,
      output: textOfParts(part["content"]),
      is_error: part["is_error"] === true,
      exit_code: null,
      at: timeIn(line["timestamp"]),
    });
  }
}

function usageOf(value: unknown): Usage | null {
  const usage = asRecord(value);
  if (usage === undefined) return null;
  const read = asCount(usage["cache_read_input_tokens"]) ?? 0;
  const written = asCount(usage["cache_creation_input_tokens"]) ?? 0;
  const hour = asCount(dig(usage, "cache_creation", "ephemeral_1h_input_tokens")) ?? 0;
  return {
    tokens_in: sumKnown([asCount(usage["input_tokens"]), read, written]),
    tokens_out: asCount(usage["output_tokens"]),
    cached_tokens: read,
    cache_write_tokens: written,
    ...(hour > 0 && hour <= written && { cache_write_1h_tokens: hour }),
  };
}
