import { cut } from "../../../domain/excerpt.ts";
import { type Check, pass, warn } from "../check.ts";
import type { DeclaredScenario } from "../services.ts";

/** A name in two braces, as templates have it. Here nothing fills one in. */
const PLACEHOLDER = /\{\{\s*[A-Za-z_][\w.-]{0,60}\s*\}\}/g;

export const placeholders: Check<DeclaredScenario> = {
  id: "arms.placeholders",
  title: "Prompts say what they mean",
  run({ loaded: { definition } }) {
    const prompts = [
      { name: "task.prompt", text: definition.task.prompt },
      ...definition.arms.map(({ id, system_prompt }) => ({ name: `the system prompt of ${id}`, text: system_prompt })),
    ];
    const found = prompts.flatMap(({ name, text }) => {
      const names = [...new Set(text.match(PLACEHOLDER))];
      return names.length === 0 ? [] : [`${name} holds ${cut(names.join(", "), 200)}`];
    });
    return found.length === 0
      ? pass("no name in braces is left")
      : warn(
          `${found.join("; ")}: it goes to the model as it is`,
          "write what it stands for, unless the braces are meant",
        );
  },
};
