import { refusedArguments } from "../../../arms/recipe/arguments.ts";
import { PROVIDER_PATHS } from "../../../arms/recipe/inside.ts";
import { placeholdersIn, RECIPE_NAMES, RECIPES, recipeOf } from "../../../arms/recipe/recipes.ts";
import { didYouMean } from "../../../domain/did-you-mean.ts";
import { cut } from "../../../domain/excerpt.ts";
import type { ExternalAgent } from "../../../domain/external-agent.ts";
import { isScripted } from "../../../domain/model-name.ts";
import { SLUG_PATTERN } from "../../../domain/schema.ts";
import type { AgentMap, ArmFile } from "../authored/arm-file.ts";
import { variableFault } from "../authored/fields.ts";
import type { FieldPath, Problems } from "../authored/problems.ts";
import type { ResolveContext } from "./context.ts";
import { resolveFiles } from "./fixture-file.ts";

/** The agent of an arm with every default in place. Meaningless after a problem. */
export async function resolveAgent(
  context: ResolveContext,
  index: number,
  authored: string | AgentMap,
): Promise<ExternalAgent> {
  const { problems } = context;
  const path = ["arms", index, "agent"];
  const agent = typeof authored === "string" ? shortForm(authored) : authored;
  checkStart(problems, path, authored);
  checkInstall(problems, typeof authored === "string" ? path : [...path, "install"], agent);
  checkCommand(problems, path, agent.command);
  checkWires(problems, path, agent);
  checkArguments(problems, [...path, "args"], agent);
  for (const name of Object.keys(agent.env ?? {})) checkVariable(problems, [...path, "env", name], name);
  const given = { ...DEFAULTS, ...agent };
  const recipe = recipeOf({ ...given, wires: [] });
  return {
    side_model: recipe.side_model,
    ...given,
    files: agent.files === undefined ? null : await resolveFiles(context, [...path, "files"], agent.files),
    wires: [...(agent.wires ?? recipe.wires)],
  };
}

const DEFAULTS: Pick<ExternalAgent, "use" | "command" | "install" | "args" | "env" | "tools"> = {
  ...{ use: null, command: null, install: null, args: [], env: {}, tools: {} },
};

/** `claude-code@claude-2.1.330` */
export function shortForm(text: string): AgentMap {
  const [use, install] = [text.replace(/@.*$/s, ""), /@(.*)$/s.exec(text)?.[1]];
  return { use, ...(install !== undefined && { install }) };
}

function checkStart(problems: Problems, path: FieldPath, authored: string | AgentMap): void {
  const { use, command } = typeof authored === "string" ? shortForm(authored) : authored;
  if (use !== undefined && command !== undefined)
    problems.add([...path, "command"], "use is given too; keep one of the two");
  if (use === undefined && command === undefined)
    problems.add(path, `needs \`use\` or \`command\`; \`use\` is one of ${RECIPE_NAMES.join(", ")}`);
  if (use !== undefined && !RECIPE_NAMES.includes(use))
    problems.add(
      path,
      `there is no agent "${cut(use)}"${didYouMean(use, RECIPE_NAMES) || ";"} Expected <recipe>@<install> with ${RECIPE_NAMES.join(", ")}, or a map with \`command\``,
    );
}

function checkInstall(problems: Problems, path: FieldPath, { use, install }: AgentMap): void {
  if (install === undefined) {
    if (use !== undefined && RECIPE_NAMES.includes(use))
      problems.add(
        path,
        `missing install; write ${use}@<install>, or \`install\`, the name of a directory of --agents-dir`,
      );
  } else if (!new RegExp(SLUG_PATTERN).test(install))
    problems.add(
      path,
      `${JSON.stringify(cut(install))} is no install; expected the name of a directory of --agents-dir, never a path`,
    );
}

/** What an argument of `command` may hold, in braces. */
const PLACEHOLDERS = [
  ...["prompt", "prompt_file", "model", "key"],
  ...Object.keys(PROVIDER_PATHS).map((provider) => `base:${provider}`),
];

function checkCommand(problems: Problems, path: FieldPath, command: AgentMap["command"]): void {
  if (command === undefined) return;
  if (command[0] === "") problems.add([...path, "command", 0], "must not be empty");
  const named = command.map(placeholdersIn);
  for (const [index, names] of named.entries())
    for (const name of names.filter((one) => !PLACEHOLDERS.includes(one)))
      problems.add(
        [...path, "command", index],
        `unknown placeholder {${cut(name)}}${didYouMean(name, PLACEHOLDERS)}${KNOWN_PLACEHOLDERS}`,
      );
  if (!named.flat().some((name) => name === "prompt" || name === "prompt_file"))
    problems.add(
      [...path, "command"],
      "names neither {prompt} nor {prompt_file}, so the agent would never learn its task",
    );
}

const KNOWN_PLACEHOLDERS = `; there are ${PLACEHOLDERS.map((name) => `{${name}}`).join(", ")}`;

function checkWires(problems: Problems, path: FieldPath, { use, command, wires }: AgentMap): void {
  if (use === undefined || wires === undefined || !RECIPE_NAMES.includes(use)) return;
  const own = recipeOf({ use, command: command ?? null, wires }).wires;
  for (const [index, wire] of wires.entries())
    if (!own.includes(wire))
      problems.add([...path, "wires", index], `${use} does not speak it; it speaks ${own.join(", ")}`);
}

/** What an argument would change in vain, or to the agent's harm, is said before anything is paid. */
function checkArguments(problems: Problems, path: FieldPath, { use, args = [] }: AgentMap): void {
  const rules = RECIPES.find(({ name }) => name === use)?.arguments;
  for (const { index, name, why } of rules ? refusedArguments(rules, args) : [])
    problems.add([...path, index], `${name}: ${why}; take it out`);
}

function checkVariable(problems: Problems, path: FieldPath, name: string): void {
  const fault = variableFault(name, AGENTS_KEY);
  if (fault !== null) problems.add(path, fault, { at: "key" });
}

const AGENTS_KEY = "abeval holds the keys, and the agent gets one that only opens its own way to the provider";

/** What belongs to our own loop, and where the agent has it instead. */
const NOT_OURS = {
  system_prompt: "the agent has its own; add to it by `agent.args` or a file in `agent.files`",
  system_prompt_file: "the agent has its own; add to it by `agent.args` or a file in `agent.files`",
  tools: "the agent brings its own; `agent.args` can choose among them, `agent.tools` says what they are",
  params: "the agent decides them; set them by `agent.args`, `agent.env` or `agent.files`",
  script: "a script is what a scripted/* model replays",
  scripts: "a script is what a scripted/* model replays",
} as const satisfies Partial<Record<keyof ArmFile, string>>;

/** The servers become settings of the agent, where abeval knows how. */
function checkServers(
  problems: Problems,
  path: FieldPath,
  agent: string | AgentMap,
  servers: NonNullable<ArmFile["mcp"]>,
): void {
  const { use } = typeof agent === "string" ? shortForm(agent) : agent;
  const recipe = RECIPES.find(({ name }) => name === use);
  if (!recipe?.takes_servers) {
    const whose = recipe?.title ?? "a `command`";
    const known = RECIPES.filter(({ takes_servers }) => takes_servers).map(({ name }) => name);
    problems.add(
      path,
      `is not known for ${whose}, only for ${known.join(", ")}; lay its settings into \`agent.files\``,
    );
    return;
  }
  for (const [name, { tools }] of Object.entries(servers))
    if (tools) problems.add([...path, name, "tools"], "an agent is offered every tool of a server; leave it out");
}

/** Adds a problem for each field that would silently do nothing. `own` is the arm as written, `arm` with what it extends. */
export function checkAgentFields(problems: Problems, index: number, own: ArmFile, arm: ArmFile): void {
  if (!arm.agent) return;
  if (arm.mcp) checkServers(problems, ["arms", index, own.mcp ? "mcp" : "agent"], arm.agent, arm.mcp);
  checkModel(problems, ["arms", index, own.model === undefined ? "agent" : "model"], arm.model);
  for (const [field, where] of Object.entries(NOT_OURS)) {
    const [written, given] = [Reflect.get(own, field), Reflect.get(arm, field)];
    if (given === undefined || given === null) continue;
    if (written !== undefined) problems.add(["arms", index, field], `does nothing in an arm with \`agent\`: ${where}`);
    else
      problems.add(
        ["arms", index, "extends"],
        `brings ${field}, which does nothing in an arm with \`agent\`: ${where}`,
      );
  }
}

function checkModel(problems: Problems, path: FieldPath, model: string | undefined): void {
  if (model !== undefined && isScripted(model))
    problems.add(
      path,
      `${model} replays a script, and an external agent asks a real model; expected <provider>/<model>`,
    );
}
