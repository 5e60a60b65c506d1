import { prepareCall } from "../../../arms/tool/invoke.ts";
import { toolbox } from "../../../arms/tool/toolbox.ts";
import { workspacePlaces } from "../../../comparison/planning/task-image.ts";
import { differencesAmong } from "../../../comparison/scenario/declared-differences.ts";
import type { Arm, ScriptTurn } from "../../../domain/arm.ts";
import { Mistake } from "../../../domain/failure.ts";
import { isScripted } from "../../../domain/model-name.ts";
import { type Check, check, fail, IDLE, pass, skip, warn } from "../check.ts";
import type { DeclaredScenario } from "../services.ts";

/** Two equal arms measure chance. That can be intended, so it is a warning. */
const contrast = check("arms.contrast", "Arms differ", ({ loaded }: DeclaredScenario) => {
  const { arms } = loaded.definition;
  const found = differencesAmong(arms);
  if (found.length > 0) return pass(`in ${found.join(", ")}`);
  return warn(
    `${arms.length === 2 ? "both" : "all"} arms are set up the same (the verdict will have the flag no_contrast)`,
    "change one, unless you want to measure chance",
  );
});

/** The effect of an undeclared difference would be credited to the declared one. */
const varies = check("arms.varies", "Arms differ only where declared", ({ loaded }: DeclaredScenario) => {
  const { arms, varies: declared } = loaded.definition;
  if (declared === null) return skip(IDLE.no_varies);
  const found = differencesAmong(arms);
  const undeclared = found.filter((field) => !declared.includes(field));
  if (undeclared.length > 0)
    return fail(`they also differ in ${undeclared.join(", ")}`, "make these equal, or add them to `varies`");
  const missing = declared.filter((field) => !found.some((name) => name === field));
  return missing.length === 0
    ? pass(`only in ${declared.join(", ")}`)
    : warn(`they do not differ in ${missing.join(", ")}`, "make them differ, or remove the name from `varies`");
});

/** The mistakes that are told: the same one is often copied from turn to turn. */
const TOLD = 3;

/** A scripted call with a mistake is answered as a model's would be, so the mistake would show only as a lost run. */
const scriptedCalls = check(
  "arms.scripts",
  "Scripts call existing tools",
  async ({ services, loaded }: DeclaredScenario) => {
    const scripts = loaded.definition.arms.flatMap(scriptsOf);
    if (scripts.length === 0) return pass(IDLE.no_script);
    const at = await mountedAt(services, loaded);
    const mistakes = scripts.flatMap((script) => mistakesOf(script, at));
    if (mistakes.length === 0) return pass("each call has the input that its tool takes");
    const more = mistakes.length > TOLD ? [`and ${mistakes.length - TOLD} more`] : [];
    const hint = "correct the script, unless the wrong call is intended";
    return warn([...mistakes.slice(0, TOLD), ...more].join("\n"), hint);
  },
);

/** Undefined for an image that is not here; the check of the image says so. */
const mountedAt = (services: DeclaredScenario["services"], loaded: DeclaredScenario["loaded"]) =>
  workspacePlaces(services, loaded).then(
    (places) => places?.at,
    () => loaded.definition.task.fixture?.at,
  );

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

const mistakesOf = ({ arm, name, turns }: Script, at: string | undefined): readonly string[] =>
  turns.flatMap(({ calls = [] }, index) =>
    calls
      .flatMap((call) => Object.entries(call))
      .flatMap(([tool, input]) => mistakeOf(arm, tool, input, at).map((said) => `${name}, turn ${index + 1}: ${said}`)),
  );

function mistakeOf({ mcp = [], tools }: Arm, name: string, input: unknown, at?: string): readonly string[] {
  // What a server offers is known once it has started.
  if (mcp.some((server) => name.startsWith(`${server.name}__`))) return [];
  try {
    prepareCall(toolbox(tools), { id: "", name, input }, at);
    return [];
  } catch (error) {
    if (!(error instanceof Mistake)) throw error;
    return [error.message.replaceAll("\n", " ")];
  }
}

export const armChecks: readonly Check<DeclaredScenario>[] = [contrast, varies, scriptedCalls];
