import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { ArmSummary } from "../../../domain/session.ts";
import type { Side } from "../../../domain/verdict.ts";

/** The sides in the order in which a scenario names its arms. */
export const ARM_SIDES = ["a", "b"] as const satisfies readonly Side[];

/** Before a blind vote the sides are only what is shown first and second: no colour or letter of an arm. */
export const Neutral = createContext(false);

const NUMBERS: Record<Side, string> = { a: "1", b: "2" };

/** Colour, shape and letter of an arm always go together, so that a reader needs to see only one of them. */
export function ArmMark({ side }: { side: Side }) {
  const neutral = useContext(Neutral);
  return (
    <span class={`arm-mark side-${side}`} aria-hidden="true">
      {neutral ? NUMBERS[side] : side.toUpperCase()}
    </span>
  );
}

export function ArmName({ side, name }: { side: Side; name: string }) {
  const neutral = useContext(Neutral);
  return (
    <span class={`arm-name side-${side}`}>
      <ArmMark side={side} />
      {!neutral && <span class="hidden-text">Arm {side.toUpperCase()}: </span>}
      <span class="arm-label">{name}</span>
    </span>
  );
}

/** The model that was asked for. The one that answered follows when its name says more. */
export function ModelName({ arm: { model, model_served } }: { arm: Pick<ArmSummary, "model" | "model_served"> }) {
  const says_more = model_served !== null && !model.endsWith(model_served);
  return (
    <>
      <code>{model}</code>
      {says_more && <span class="aside"> answered by {model_served}</span>}
    </>
  );
}

/** The program that was the arm, with its version; nothing for abeval's own loop. */
export function AgentName({ arm: { agent } }: { arm: Pick<ArmSummary, "agent"> }) {
  if (!agent) return null;
  const name = agent.recipe ?? agent.install ?? "external agent";
  return (
    <span>
      {" "}
      · in <strong>{name}</strong> {agent.version ?? (agent.recipe ? "of unknown version" : "")}
      {agent.exit_code !== null && agent.exit_code !== 0 && `, exit code ${agent.exit_code}`}
    </span>
  );
}
