import type { Decision } from "../../../domain/decision.ts";
import { endText } from "../../../domain/end-text.ts";
import type { SessionOutcome } from "../../../domain/session.ts";
import { countOf } from "../format.ts";
import { AgentName, ARM_SIDES, ArmName, ModelName } from "../part/arm-name.tsx";
import { Bar } from "../part/bar.tsx";
import { Light } from "../part/light.tsx";
import { blind } from "../preferences.ts";
import { remainingOf } from "./budgets.ts";

interface LaneHeadProps {
  readonly session: SessionOutcome;
  readonly index: 0 | 1;
  readonly log: readonly Decision[];
  readonly elapsed_ms: number;
  /** It has stopped; checks and judge may still be at work. */
  readonly finished: boolean;
}

/** Share of a budget below which it counts as low. The arm itself is warned there too. */
const LOW = 0.2;

/** An arm at work: its state, what is left of its budgets, and its hidden checks once they have run. */
export function LaneHead({ session, index, log, elapsed_ms, finished }: LaneHeadProps) {
  const arm = session.arms[index];
  const side = ARM_SIDES[index];
  const status =
    arm.status === "pending" || arm.status === "running"
      ? finished
        ? "stopped"
        : log.length > 0
          ? "running"
          : "waiting"
      : arm.status;
  return (
    <section class={`lane-head side-${side}`} aria-label={`Arm ${side}`}>
      <h2>
        <ArmName side={side} name={blind.value ? `arm ${side}` : arm.arm_id} />
        <span class={`state state-${status}`}>{status === arm.status ? endText(arm) : status}</span>
      </h2>
      <p class="aside">
        {!blind.value && (
          <>
            <ModelName arm={arm} />
            <AgentName arm={arm} /> ·{" "}
          </>
        )}
        {countOf(log.length, "decision")}
      </p>
      <dl class="budgets">
        {remainingOf(session, index, log, elapsed_ms).map(({ name, share, text }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Bar share={share} side={side} low={share < LOW} />
              <span class="quantity">{text}</span>
            </dd>
          </div>
        ))}
      </dl>
      <ProbeLights session={session} index={index} />
    </section>
  );
}

function ProbeLights({ session, index }: Pick<LaneHeadProps, "session" | "index">) {
  const checks = session.definition.task.probe?.checks ?? [];
  const results = session.arms[index].probe?.checks ?? [];
  if (checks.length === 0) return null;
  return (
    <p class="probe-lights">
      <span class="aside">Hidden checks{results.length === 0 && ", once both arms have stopped"}: </span>
      {checks.map(({ id }) => (
        <Light key={id} status={results.find((result) => result.id === id)?.status ?? "pending"} name={id} />
      ))}
    </p>
  );
}
