import { asId } from "../../../domain/as-id.ts";
import { asCount, asName, asRecord, asRecords, asText, dig, type LooseRecord } from "../../../domain/lenient.ts";
import { type LogContents, type LoggedTurn, type LogReader, textOfParts, timeIn } from "../log-step.ts";

/** Whether a document says that it is a trajectory in this form, whatever its version. */
export const isAtif = (document: LooseRecord): boolean => atifVersion(document) !== undefined;

/** `1.6` of `ATIF-v1.6`. */
export const atifVersion = (document: LooseRecord): string | undefined =>
  /^ATIF-v(\d[\d.]{0,10})$/.exec(asText(document["schema_version"]) ?? "")?.[1];

/** A trajectory of the Agent Trajectory Interchange Format, version 1: one document. */
export const atifLog = (log: LogContents): LogReader => ({
  form: "atif",
  read(document) {
    log.agent = asName(dig(document, "agent", "name")) ?? null;
    log.version = asName(dig(document, "agent", "version")) ?? null;
    log.model = asName(dig(document, "agent", "model_name")) ?? null;
    log.cost_usd = usdIn(dig(document, "final_metrics", "total_cost_usd"));
    for (const step of asRecords(document["steps"])) readStep(log, step);
  },
});

const usdIn = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;

/** What is copied from an earlier trajectory was counted there. */
function readStep(log: LogContents, step: LooseRecord): void {
  if (step["source"] !== "agent" || step["is_copied_context"] === true) return;
  log.model ??= asName(step["model_name"]) ?? null;
  const metrics = asRecord(step["metrics"]);
  const turn: LoggedTurn = {
    kind: "turn",
    text: textOfParts(step["message"]),
    calls: asRecords(step["tool_calls"]).map((call) => ({
      id: asId(call["tool_call_id"]) ?? null,
      name: asName(call["function_name"]) ?? "",
      input: call["arguments"],
    })),
    usage: metrics
      ? {
          tokens_in: asCount(metrics["prompt_tokens"]),
          tokens_out: asCount(metrics["completion_tokens"]),
          cached_tokens: asCount(metrics["cached_tokens"]),
        }
      : null,
    cost_usd: usdIn(metrics?.["cost_usd"]),
    stop_reason: null,
    at: timeIn(step["timestamp"]),
    side: false,
  };
  log.steps.push(turn);
  const only = turn.calls.length === 1 ? (turn.calls[0]?.id ?? null) : null;
  for (const result of asRecords(dig(step, "observation", "results")))
    log.steps.push({
      kind: "result",
      call_id: asId(result["source_call_id"]) ?? only,
      output: textOfParts(result["content"]),
      ...{ is_error: null, exit_code: null, at: turn.at },
    });
}
