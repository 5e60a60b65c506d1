import type { Task } from "../../../domain/task.ts";

/** What arms were told by their task: its prompt, and the conversation around it. */
export function SaidToArms({ task: { messages = [], prompt, follow_ups = [] } }: { task: Task }) {
  return (
    <>
      {messages.map(({ role, text }, index) => (
        <Said key={index} who={role === "user" ? "User, before" : "Assistant, before"} text={text} />
      ))}
      {messages.length + follow_ups.length === 0 ? (
        <blockquote class="prompt">{prompt.trim()}</blockquote>
      ) : (
        <Said who="User" text={prompt} />
      )}
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
