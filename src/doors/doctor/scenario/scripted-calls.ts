import { prepareCall } from "../../../arms/tool/invoke.ts";
import { toolbox } from "../../../arms/tool/toolbox.ts";
import type { Arm, ScriptTurn } from "../../../domain/arm.ts";
import { Mistake } from "../../../domain/failure.ts";
import { isScripted } from "../../../domain/offline-model.ts";
import { type Check, pass, warn } from "../check.ts";
import { IDLE } from "../idle.ts";
import type { DeclaredScenario } from "../services.ts";

/** Mistakes that are told; one that is copied from turn to turn needs no more. */
const TOLD = 3;

/** A wrong call is no fault of the file: it gets the answer that a model would get. So it would show only as a lost run. */
export const scriptedCalls: Check<DeclaredScenario> = {
  id: "arms.scripts",
  title: "Scripts call tools that are there",
  run({ loaded }) {
    const scripts = loaded.definition.arms.flatMap(scriptsOf);
    if (scripts.length === 0) return pass(IDLE.no_script);
    const mistakes = scripts.flatMap(mistakesOf);
    if (mistakes.length === 0) return pass("each call has the input that its tool takes");
    const more = mistakes.length > TOLD ? [`and ${mistakes.length - TOLD} more`] : [];
    const hint = "correct the script, unless the wrong call is what it shall show";
    return warn([...mistakes.slice(0, TOLD), ...more].join("\n"), hint);
  },
};

interface Script {
  readonly arm: Arm;
  readonly name: string;
  readonly turns: readonly ScriptTurn[];
}

function scriptsOf(arm: Arm): readonly Script[] {
  if (!isScripted(arm.model)) return [];
  if (arm.script !== null) return [{ arm, name: arm.id, turns: arm.script }];
  return (arm.scripts ?? []).map(({ turns }, index) => ({ arm, name: `${arm.id}, script ${index + 1}`, turns }));
}

const mistakesOf = ({ arm, name, turns }: Script): readonly string[] =>
  turns.flatMap(({ calls = [] }, index) =>
    calls
      .flatMap((call) => Object.entries(call))
      .flatMap(([tool, input]) => mistakeOf(arm, tool, input).map((said) => `${name}, turn ${index + 1}: ${said}`)),
  );

function mistakeOf({ mcp = [], tools }: Arm, name: string, input: unknown): readonly string[] {
  // What a server offers is known once it has started.
  if (mcp.some((server) => name.startsWith(`${server.name}__`))) return [];
  try {
    prepareCall(toolbox(tools), { id: "", name, input });
    return [];
  } catch (error) {
    if (!(error instanceof Mistake)) throw error;
    return [error.message.replaceAll("\n", " ")];
  }
}
