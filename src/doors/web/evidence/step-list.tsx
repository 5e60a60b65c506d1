import type { Decision } from "../../../domain/decision.ts";
import { kindNamed } from "../../../domain/decision-kinds.ts";
import type { Side } from "../../../domain/verdict.ts";
import { count, duration, words } from "../format.ts";
import { Chunk } from "../part/chunk.tsx";
import { Entry } from "../part/page.tsx";
import { useOpened } from "../part/use-opened.ts";
import { citedRef, isLit, useCitedTarget } from "./cited.ts";
import { failureOf, threadOf } from "./failed-step.ts";
import { everyDecisionOpen } from "./open-decisions.ts";

interface StepListProps {
  readonly side: Side;
  readonly steps: readonly { readonly decision: Decision; readonly end_ms?: number }[];
}

/** Rows drawn at once. */
const CHUNK = 20;

/** Pixels of a closed row. */
const ROW_HEIGHT = 30;

/** Steps of one arm, one row each, with the time of its end where it is known. There may be thousands. */
export function StepList({ side, steps }: StepListProps) {
  const wanted = Number(citedRef(side, "decision") ?? Number.NaN);
  const chunks = Array.from({ length: Math.ceil(steps.length / CHUNK) }, (_, index) => index * CHUNK);
  return (
    <>
      {chunks.map((start) => {
        const rows = steps.slice(start, start + CHUNK);
        const eager = start === 0 || rows.some(({ decision }) => decision.seq === wanted);
        return (
          <Chunk key={start} height={rows.length * ROW_HEIGHT} eager={eager}>
            {() => (
              <ol class="steps">
                {rows.map(({ decision, end_ms }) => (
                  <li key={decision.seq} class={`step side-${side}`} data-stop tabIndex={-1}>
                    {end_ms !== undefined && <span class="step-time">{duration(end_ms)}</span>}
                    <DecisionRow side={side} decision={decision} />
                  </li>
                ))}
              </ol>
            )}
          </Chunk>
        );
      })}
    </>
  );
}

interface DecisionRowProps {
  readonly side: Side;
  readonly decision: Decision;
}

/** One step of an arm in one line. Opened, it shows everything known of it. */
function DecisionRow({ side, decision }: DecisionRowProps) {
  const { seq, kind, summary, tokens_in, tokens_out, latency_ms } = decision;
  const isCited = citedRef(side, "decision") === String(seq);
  const target = useCitedTarget<HTMLElement>(isCited);
  const { name, shape } = kindNamed(kind);
  const failure = failureOf(decision);
  const thread = threadOf(decision);
  const opened = useOpened(everyDecisionOpen.value);
  const open = opened.value || isCited;
  return (
    <details
      class={`decision kind-${kind} ${failure === null ? "" : "decision-failed"}`}
      open={open}
      onToggle={(event) => (opened.value = event.currentTarget.open)}
      data-cited={isCited || undefined}
      data-lit={isLit({ side, kind: "decision", ref: String(seq) }) || undefined}
    >
      <summary ref={target}>
        <span class="seq">{seq}</span>
        <span class="kind">
          <span aria-hidden="true">{shape}</span> {name}
        </span>
        <span class="decision-summary">{summary}</span>
        <span class="quantity">
          {thread !== null && thread > 1 && <span class="thread">thread {thread}</span>}
          {decision.kind === "model_turn" && decision.detail?.side && <span class="thread">side call</span>}
          {failure && <span class="failure">{failure}</span>}
          {tokens_in + tokens_out > 0 && <span>{count(tokens_in + tokens_out)} tok</span>}
          <span>{duration(latency_ms)}</span>
        </span>
      </summary>
      {open && <DecisionDetail decision={decision} />}
    </details>
  );
}

/** Everything recorded of a decision. An arm wrote it, so it is shown as text. */
function DecisionDetail({ decision }: { decision: Decision }) {
  const { tokens_in, tokens_out, at, detail } = decision;
  const facts = Object.entries(detail ?? {}).map(([name, value]) => [name, textOf(name, value)] as const);
  const short = facts.filter(([, text]) => !isLong(text));
  return (
    <div class="decision-detail">
      {facts
        .filter(([, text]) => isLong(text))
        .map(([name, text]) => (
          <figure key={name}>
            <figcaption>{words(name)}</figcaption>
            <pre class="wrapped">{text}</pre>
          </figure>
        ))}
      <dl class="inline-facts">
        {short
          .filter(([, text]) => text !== "")
          .map(([name, text]) => (
            <div key={name}>
              <dt>{words(name)}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        {decision.kind === "model_turn" && (
          <Entry name="tokens">
            {count(tokens_in)} in, {count(tokens_out)} out
          </Entry>
        )}
        {at && <Entry name="at">{at}</Entry>}
      </dl>
    </div>
  );
}

const isLong = (text: string) => text.length > 60 || text.includes("\n");

function textOf(name: string, value: unknown): string {
  if (name === "input" && typeof value === "string") return inputOf(value);
  if (Array.isArray(value)) return value.join(", ");
  if (value === null || value === undefined) return "";
  return typeof value === "boolean" ? (value ? "yes" : "no") : String(value);
}

/** A tool's input with its line breaks. An input that was cut is no JSON and is shown as it is. */
function inputOf(json: string): string {
  try {
    const fields = Object.entries(JSON.parse(json) as object); // a tool's input is an object, or this throws
    return fields
      .map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
      .join("\n");
  } catch {
    return json;
  }
}
