import type { Decision, DecisionDetail, DecisionKind } from "../../domain/decision.ts";
import { excerpt } from "../../domain/excerpt.ts";
import type { Usage } from "../../domain/usage.ts";
import type { Clock } from "../../runtime/clock.ts";
import { type BudgetState, rounded, usedText } from "./budget.ts";

interface Entry<K extends DecisionKind> {
  readonly summary: string;
  readonly detail: DecisionDetail<K>;
  readonly latency_ms?: number;
  readonly tokens_in?: number;
  readonly tokens_out?: number;
}

interface Turn extends Partial<Pick<DecisionDetail<"model_turn">, "thread" | "side" | "model">> {
  /** Keys are taken out already. */
  readonly text: string;
  readonly tools: readonly string[];
  readonly stop_reason: string;
  readonly usage: Usage;
  /** Why it is no whole reply. */
  readonly broken?: readonly string[];
  readonly latency_ms?: number;
}

interface Call extends Omit<DecisionDetail<"tool_call">, "tool" | "input" | "output"> {
  readonly told: CallText;
  /** Keys are taken out already. */
  readonly text: string;
  readonly latency_ms?: number;
}

/** Writes an arm's decisions, whoever runs it: numbers each and hands it on as it is made. */
export class DecisionLog {
  readonly #clock: Clock;
  readonly #emit: (decision: Decision) => void;
  #last: number;

  /** Goes on after decision number `last`. */
  constructor(clock: Clock, emit: (decision: Decision) => void, last = 0) {
    this.#clock = clock;
    this.#emit = emit;
    this.#last = last;
  }

  add<K extends DecisionKind>(kind: K, entry: Entry<K>): void {
    const decision = {
      seq: this.#last + 1,
      kind,
      summary: oneLine(entry.summary),
      tokens_in: entry.tokens_in ?? 0,
      tokens_out: entry.tokens_out ?? 0,
      latency_ms: Math.round(entry.latency_ms ?? 0),
      at: this.#clock.now().toISOString(),
      detail: entry.detail,
    } as Decision; // K ties kind to detail; the compiler cannot see it through the union
    this.#emit(decision);
    // A decision that could not be stored must not leave a gap in the numbers.
    this.#last += 1;
  }

  turn({ text, tools, stop_reason, usage, broken = [], latency_ms, ...of }: Turn): void {
    const { tokens_in, tokens_out, cached_tokens, cache_write_tokens, cache_write_1h_tokens } = usage;
    const isKnown = tokens_in !== null && tokens_out !== null;
    const said = oneLine(text) || (tools.length > 0 ? `calls ${tools.join(", ")}` : "(no text)");
    this.add("model_turn", {
      summary: [said, ...broken].join("; "),
      ...(latency_ms !== undefined && { latency_ms }),
      ...(isKnown && { tokens_in, tokens_out }),
      detail: {
        ...{ stop_reason, tools: [...tools], cached_tokens },
        ...(cache_write_tokens !== undefined && { cache_write_tokens }),
        ...(cache_write_1h_tokens !== undefined && { cache_write_1h_tokens }),
        text: excerpt(text),
        ...of,
        ...(isKnown ? {} : { usage_unknown: true as const }),
      },
    });
  }

  call({ told: { about, name: tool, input }, effect, ok, exit_code, text, latency_ms, ...known }: Call): void {
    this.add("tool_call", {
      summary: callSummary({ name: tool, about }, { ok, exit_code, text }),
      ...(latency_ms !== undefined && { latency_ms }),
      detail: { tool, ...(effect && { effect }), input, ok, exit_code, output: excerpt(text), ...known },
    });
  }

  /** `about`: the path or command, in the words of the rule. Absent: the input. */
  block(detail: DecisionDetail<"policy_block">, about = oneLine(detail.input, 90)): void {
    this.add("policy_block", { summary: `refused ${detail.tool} ${about}: ${detail.rule}`, detail });
  }

  violation({ rule, severity, subject }: DecisionDetail<"policy_violation">, summary = `${rule}: ${subject}`): void {
    this.add("policy_violation", { summary, detail: { rule, severity, subject } });
  }

  retry({ status, attempts, waited_ms }: DecisionDetail<"provider_retry">): void {
    const summary = `provider ${status === null ? "did not answer" : `answered ${status}`}; try ${attempts} failed`;
    this.add("provider_retry", { summary, detail: { status, attempts, waited_ms: Math.round(waited_ms) } });
  }

  warnings(low: readonly BudgetState[]): void {
    for (const state of low) {
      const { budget, used, limit } = state;
      this.add("limit_warning", {
        summary: `${budget} runs low: ${usedText(state)}`,
        detail: { budget, used: rounded(budget, used), limit },
      });
    }
  }

  error(code: string, message: string, whose: "agent" | "infra" = "agent"): void {
    this.add("error", { summary: message, detail: { class: whose, code, message } });
  }
}

const SUMMARY_CHARS = 160;

/** A text as one line of a summary: without control, zero-width or direction characters, and cut at its end. */
export function oneLine(text: string, limit: number = SUMMARY_CHARS): string {
  const head = text.slice(0, limit * 4);
  const line = head
    .replace(/[\p{Cc}\s]+/gu, " ")
    .replace(/\p{Cf}/gu, "")
    .trim()
    .toWellFormed();
  return line.length <= limit ? line : `${line.slice(0, limit - 1).toWellFormed()}…`;
}

/** A call as its arm made it: parsed, or the text that was no JSON. */
interface Called {
  readonly name: string;
  readonly input: unknown;
  readonly unparsed?: string;
}

interface CallEnd {
  readonly text: string;
  readonly ok: boolean;
  readonly exit_code: number | null;
}

/** A call as decisions tell it. It holds on to nothing of the call itself, which may have megabytes. */
export interface CallText {
  readonly name: string;
  /** The command, the path or the pattern, in one line. */
  readonly about: string;
  /** JSON, cut. */
  readonly input: string;
}

export const callText = ({ name, input, unparsed }: Called): CallText => ({
  name,
  about: copied(oneLine(aboutOf(input), ABOUT_CHARS)),
  input: copied(excerpt(unparsed ?? JSON.stringify(input) ?? "")),
});

const callSummary = ({ name, about }: Pick<CallText, "name" | "about">, end: CallEnd): string =>
  `${name} ${about}${ending(end)}`;

/** A part of a text keeps the whole text in memory. */
const copied = (text: string): string => Buffer.from(text).toString();

/** Characters of a command or path in a summary. They leave room for how it ended. */
const ABOUT_CHARS = 90;
const REASON_CHARS = 50;

/** The command, path or pattern that a summary shows. The call may fit no tool. */
function aboutOf(input: unknown): string {
  if (typeof input !== "object" || input === null) return "";
  const { command, path, pattern } = input as { command?: unknown; path?: unknown; pattern?: unknown };
  return [command, path, pattern].find((value): value is string => typeof value === "string") ?? "";
}

function ending({ ok, exit_code, text }: CallEnd): string {
  if (exit_code !== null) return ` → exit ${exit_code}`;
  if (ok) return "";
  // A tool says what was wrong in its first line, a command that was stopped in its last.
  const said = text.trim();
  const last = said.slice(said.lastIndexOf("\n") + 1);
  return ` → ${oneLine(last.startsWith("[") ? last : (said.split("\n", 1)[0] ?? ""), REASON_CHARS)}`;
}
