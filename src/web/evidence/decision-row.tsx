import type { Decision } from "../../domain/decision.ts";
import type { Side } from "../../domain/verdict.ts";
import { count, counted, duration, words } from "../format.ts";
import { ArmName } from "../part/arm-name.tsx";
import { cited, citedRef, useCitedTarget } from "./cited.ts";
import { KINDS } from "./decision-kinds.ts";
import type { ShownArm } from "./shown-arm.ts";

interface DecisionRowProps {
  readonly side: Side;
  readonly decision: Decision;
}

/** One step of an arm in one line. Opened, it shows everything known of it. */
export function DecisionRow({ side, decision }: DecisionRowProps) {
  const { seq, kind, summary, tokens_in, tokens_out, latency_ms } = decision;
  const isCited = citedRef(side, "decision") === String(seq);
  const target = useCitedTarget<HTMLElement>(isCited);
  const { name, shape } = KINDS[kind];
  return (
    <details class={`decision kind-${kind}`} open={isCited || undefined} data-cited={isCited || undefined}>
      <summary ref={target}>
        <span class="seq">{seq}</span>
        <span class="kind">
          <span aria-hidden="true">{shape}</span> {name}
        </span>
        <span class="decision-summary">{summary}</span>
        <span class="quantity">
          {tokens_in + tokens_out > 0 && <span>{count(tokens_in + tokens_out)} tok</span>}
          <span>{duration(latency_ms)}</span>
        </span>
      </summary>
      <DecisionDetail decision={decision} />
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
          <div>
            <dt>tokens</dt>
            <dd>
              {count(tokens_in)} in, {count(tokens_out)} out
            </dd>
          </div>
        )}
        {at && (
          <div>
            <dt>at</dt>
            <dd>{at}</dd>
          </div>
        )}
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

/** What each arm did, step by step. Closed until the reader opens it or follows a citation. */
export function DecisionLogs({ arms }: { arms: readonly ShownArm[] }) {
  const total = arms.reduce((sum, { decisions }) => sum + decisions.length, 0);
  const open = cited.value?.kind === "decision";
  return (
    <details class="fold" open={open || undefined}>
      <summary>{counted(total, "decision")} in all</summary>
      <div class="columns">
        {arms.map(({ side, name, decisions }) => (
          <div key={side}>
            <h3>
              <ArmName side={side} name={name} /> <span class="aside">{counted(decisions.length, "decision")}</span>
            </h3>
            {decisions.map((decision) => (
              <DecisionRow key={decision.seq} side={side} decision={decision} />
            ))}
          </div>
        ))}
      </div>
    </details>
  );
}
