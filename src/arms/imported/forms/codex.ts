import { asId } from "../../../domain/as-id.ts";
import { asCount, asName, asRecord, asText, dig, type LooseRecord } from "../../../domain/lenient.ts";
import type { Usage } from "../../../domain/usage.ts";
import { readBoundedJson } from "../../../runtime/bounded-json.ts";
import {
  type LogContents,
  type LoggedCall,
  type LoggedTurn,
  type LogReader,
  textOfParts,
  timeIn,
} from "../log-step.ts";

/** Kinds of lines in a rollout of Codex: each has its payload. */
export const isCodexLine = (line: LooseRecord): boolean =>
  typeof line["type"] === "string" && KINDS.has(line["type"]) && asRecord(line["payload"]) !== undefined;

const KINDS: ReadonlySet<string> = new Set([
  ...["session_meta", "turn_context", "response_item", "event_msg", "token_usage_record", "compacted"],
]);

/** Codex writes what its model was sent and replied, item by item. A reply ends where its usage is told or a result comes. */
export function codexLog(log: LogContents): LogReader {
  log.agent = "codex";
  let open: LoggedTurn | undefined;
  let last: LoggedTurn | undefined;
  const turnAt = (at: string | null): LoggedTurn => {
    if (open) return open;
    const empty = { text: "", usage: null, cost_usd: null, stop_reason: null };
    open = { kind: "turn", ...empty, calls: [], at, side: false };
    last = open;
    log.steps.push(open);
    return open;
  };
  const used = (usage: Usage | null) => {
    if (last && usage) last.usage ??= usage;
    open = undefined;
  };
  const item = (payload: LooseRecord, at: string | null) => {
    const call = callIn(payload);
    if (call) turnAt(at).calls.push(call);
    else if (payload["type"] === "message" && payload["role"] === "assistant")
      turnAt(at).text += textOfParts(payload["content"]);
    else if (payload["type"] === "message") open = undefined;
    else if (RESULTS.has(String(payload["type"]))) {
      open = undefined;
      log.steps.push({ kind: "result", ...resultIn(payload), at });
    }
  };
  const readers: Readonly<Record<string, (payload: LooseRecord, at: string | null) => void>> = {
    session_meta(payload) {
      log.version ??= asName(payload["cli_version"]) ?? null;
      log.directory ??= asText(payload["cwd"]) ?? null;
    },
    turn_context(payload) {
      log.model ??= asName(payload["model"]) ?? null;
    },
    response_item: item,
    token_usage_record: (payload) => used(usageOf(payload["usage"])),
    event_msg(payload) {
      if (payload["type"] === "token_count") used(usageOf(dig(payload, "info", "last_token_usage")));
    },
  };
  return {
    form: "codex",
    read(line) {
      const [kind, payload] = [String(line["type"]), asRecord(line["payload"])];
      if (payload && Object.hasOwn(readers, kind)) readers[kind]?.(payload, timeIn(line["timestamp"]));
    },
  };
}

const RESULTS: ReadonlySet<string> = new Set(["function_call_output", "custom_tool_call_output"]);

function callIn(payload: LooseRecord): LoggedCall | undefined {
  const id = asId(payload["call_id"]) ?? null;
  const name = asName(payload["name"]) ?? "";
  switch (payload["type"]) {
    case "function_call": {
      const given = asText(payload["arguments"]) ?? "";
      return { id, name, input: nestedJson(given) ?? given };
    }
    case "custom_tool_call":
      return { id, name, input: payload["input"] };
    case "local_shell_call":
      return { id, name: "local_shell", input: payload["action"] };
    default:
      return undefined;
  }
}

/** Earlier versions wrote a JSON text with the output and the exit code; today's say the code above the output. */
function resultIn({ call_id, output }: LooseRecord) {
  const text = typeof output === "string" ? output : textOfParts(dig(output, "content") ?? output);
  const told = text.startsWith("{") ? asRecord(nestedJson(text)) : undefined;
  const code = dig(told, "metadata", "exit_code");
  return {
    call_id: asId(call_id) ?? null,
    output: asText(told?.["output"]) ?? text,
    is_error: dig(output, "success") === false ? true : null,
    exit_code: typeof code === "number" && Number.isSafeInteger(code) ? code : null,
  };
}

/** Parses a text inside a line, whose values the limits of the line do not count; undefined when it has too many, or is no JSON. */
function nestedJson(text: string): unknown {
  if (text.length > NESTED_LIMITS.bytes) return undefined;
  const json = readBoundedJson(Buffer.from(text), NESTED_LIMITS);
  return "fault" in json ? undefined : json.value;
}

/** Arguments of a call have some dozens of values, and at most a file's text. */
const NESTED_LIMITS = { bytes: 1024 * 1024, values: 20_000, levels: 50 };

function usageOf(value: unknown): Usage | null {
  const usage = asRecord(value);
  if (usage === undefined) return null;
  return {
    tokens_in: asCount(usage["input_tokens"]),
    tokens_out: asCount(usage["output_tokens"]),
    cached_tokens: asCount(usage["cached_input_tokens"]),
  };
}
