import type { Arm } from "../../../domain/arm.ts";
import type { Task } from "../../../domain/task.ts";

interface SaidProps {
  readonly task: Task;
  /** Whose own prompts are shown. Absent: nobody's, since they would tell who is who. */
  readonly arms?: readonly Pick<Arm, "id" | "title" | "prompt">[];
}

/** What arms were told by their task: its prompt or their own ones, and the conversation around it. */
export function SaidToArms({ task, arms = [] }: SaidProps) {
  const { messages = [], prompt, question, given = {}, follow_ups = [] } = task;
  const own = arms.filter((arm) => arm.prompt !== undefined);
  const isAsked = own.length === 0 || own.length < arms.length;
  const isAlone = messages.length + follow_ups.length + own.length === 0;
  return (
    <>
      {own.length > 0 && question !== undefined && <Said who="Asked of both, in words of their own" text={question} />}
      {messages.map(({ role, text }, index) => (
        <Said key={index} who={role === "user" ? "User, before" : "Assistant, before"} text={text} />
      ))}
      {isAsked && isAlone && <blockquote class="prompt">{(question ?? prompt).trim()}</blockquote>}
      {isAsked && !isAlone && <Said who="User" text={own.length > 0 ? prompt : (question ?? prompt)} />}
      {own.map((arm) => (
        <Said key={arm.id} who={`User, to ${arm.title}`} text={arm.prompt ?? ""} />
      ))}
      {own.length === 0 &&
        Object.entries(given).map(([name, value]) => <Said key={name} who={`Told of ${name}`} text={value} />)}
      {follow_ups.map((text, index) => (
        <Said key={index} who={`User, follow-up ${index + 1}`} text={text} />
      ))}
    </>
  );
}

const Said = ({ who, text }: { who: string; text: string }) => (
  <figure class="said">
    <figcaption>{who}</figcaption>
    <blockquote class="prompt">{text.trim()}</blockquote>
  </figure>
);
