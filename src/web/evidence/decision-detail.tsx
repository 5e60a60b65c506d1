import type { Decision } from "../../domain/decision.ts";
import { count, words } from "../format.ts";

/** Whatever was recorded of a decision. An arm wrote it, so it is shown as text and nothing else. */
export function DecisionDetail({ decision }: { decision: Decision }) {
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

/** A tool's input with its line breaks; as it stands where it was cut and is no JSON any more. */
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
