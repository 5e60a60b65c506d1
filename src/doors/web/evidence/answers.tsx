import { Fragment } from "preact";
import { useContext } from "preact/hooks";
import type { Arm } from "../../../domain/arm.ts";
import type { Task } from "../../../domain/task.ts";
import { ArmName, Neutral } from "../part/arm-name.tsx";
import { SaidToArms } from "../part/said-to-arms.tsx";
import { citedRef, isLit, useCitedTarget } from "./cited.ts";
import { isAnswerTheWork, type ShownArm } from "./shown-arm.ts";

/** The final answers of the arms. They are claims, not evidence. Where they are the work, what was asked stands above them. */
export function Answers({ arms }: { arms: readonly ShownArm[] }) {
  return (
    <>
      {isAnswerTheWork(arms) && <Asked arms={arms} />}
      <div class="columns">
        {arms.map((shown) => (
          <Answer key={shown.side} shown={shown} />
        ))}
      </div>
    </>
  );
}

/** What both were asked; of two sessions with other tasks, what each was. Before a blind vote nobody's own prompt is shown. */
function Asked({ arms }: { arms: readonly ShownArm[] }) {
  const isBlind = useContext(Neutral);
  const tasks = arms.map(({ session }) => session.definition.task);
  const isSame = new Set(
    tasks.map(({ messages, prompt, follow_ups }) => JSON.stringify([messages, prompt, follow_ups])),
  );
  return (
    <div class="columns asked">
      {(isSame.size === 1 ? tasks.slice(0, 1) : tasks).map((task, index) => (
        <Question
          key={index}
          task={task}
          arms={isBlind ? [] : (isSame.size === 1 ? arms : arms.slice(index, index + 1)).flatMap(definitionOf)}
          title={isSame.size === 1 ? "Both were asked" : `${arms[index]?.name} was asked`}
        />
      ))}
    </div>
  );
}

/** Characters above which a question is folded, so that the answers stay in sight. */
const LONG = 1_200;

const definitionOf = ({ session: { definition }, arm }: ShownArm): readonly Arm[] =>
  definition.arms.filter(({ id }) => id === arm.arm_id);

function Question({ task, arms, title }: { task: Task; arms: readonly Arm[]; title: string }) {
  const length = task.prompt.length + (task.messages ?? []).reduce((sum, { text }) => sum + text.length, 0);
  return (
    <details open={length <= LONG}>
      <summary>{title}</summary>
      <SaidToArms task={task} arms={arms} />
    </details>
  );
}

function Answer({ shown: { side, name, arm } }: { shown: ShownArm }) {
  const isCited = citedRef(side, "answer") !== null;
  const target = useCitedTarget<HTMLDivElement>(isCited);
  const answers = arm.answers ?? (arm.final_answer ? [arm.final_answer] : []);
  return (
    <div
      class={`answer side-${side}`}
      ref={target}
      tabIndex={-1}
      data-cited={isCited || undefined}
      data-lit={isLit({ side, kind: "answer", ref: "final" }) || undefined}
    >
      <h3>
        <ArmName side={side} name={name} />
      </h3>
      {answers.length === 0 && <p class="empty">It gave no final answer.</p>}
      {answers.map((text, index) => (
        <Fragment key={index}>
          {answers.length > 1 && <h4>{index === 0 ? "To the task" : `To follow-up ${index}`}</h4>}
          <p class="arm-text">{text}</p>
        </Fragment>
      ))}
    </div>
  );
}
