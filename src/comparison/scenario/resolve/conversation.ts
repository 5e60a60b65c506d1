import { recipeOf } from "../../../arms/recipe/recipes.ts";
import type { Arm } from "../../../domain/arm.ts";
import type { Task } from "../../../domain/task.ts";
import type { Problems } from "../authored/problems.ts";
import type { TaskFile } from "../authored/task-file.ts";

/** The first message is the user's: there are providers that refuse any other. */
export function checkMessages(problems: Problems, messages: TaskFile["messages"] = []): void {
  const path = ["task", "messages"];
  for (const [index, { text }] of messages.entries())
    if (text.trim() === "") problems.add([...path, index, "text"], "must not be blank");
  const expected = (index: number) => (index % 2 === 0 ? "user" : "assistant");
  const wrong = messages.findIndex(({ role }, index) => role !== expected(index));
  if (wrong !== -1)
    problems.add(
      [...path, wrong, "role"],
      `expected ${expected(wrong)}: ${wrong === 0 ? "the first message is the user's" : "user and assistant take turns"}`,
    );
  else if (messages.length % 2 === 1)
    problems.add(
      [...path, messages.length - 1],
      "the last message must be the assistant's; what the user says then is `prompt`",
    );
}

/** What is said before the prompt goes to our own loop alone; some agents of others go on with a conversation of theirs. */
export function checkListeners(problems: Problems, { messages, follow_ups }: Task, arms: readonly Arm[]): void {
  for (const [index, { agent, id }] of arms.entries()) {
    if (agent === undefined) continue;
    const { title, goes_on } = recipeOf(agent);
    const path = ["arms", index, "agent"];
    if (messages)
      problems.add(
        path,
        `arm "${id}" is an external agent, which cannot be told task.messages; write them into task.prompt`,
      );
    if (follow_ups && !goes_on)
      problems.add(
        path,
        `arm "${id}": ${title} cannot go on with a conversation, which task.follow_ups need; leave them out, or take ${GO_ON}`,
      );
  }
}

const GO_ON = "an arm without `agent`, claude-code or codex";
