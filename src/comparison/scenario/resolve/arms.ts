import { isAnswering, isAnsweringModel } from "../../../domain/answering.ts";
import type { Arm, McpServer, ScriptTurn } from "../../../domain/arm.ts";
import { COMMAND_TIMEOUT_S, SCENARIO_FILE_BYTES } from "../../../domain/defaults.ts";
import { didYouMean } from "../../../domain/did-you-mean.ts";
import type { ExternalAgent } from "../../../domain/external-agent.ts";
import { splitMcpToolName } from "../../../domain/mcp-tool-name.ts";
import { isBuiltin, isScripted } from "../../../domain/model-name.ts";
import type { Price } from "../../../domain/price-list.ts";
import { isImported } from "../../../domain/ran.ts";
import type { FileSet } from "../../../domain/task.ts";
import { isToolName, TOOL_NAMES } from "../../../domain/tool.ts";
import type { AgentMap, ArmFile, McpServerFile, RanFile } from "../authored/arm-file.ts";
import type { FieldPath, Problems } from "../authored/problems.ts";
import { checkAgentFields, resolveAgent, shortForm } from "./agent.ts";
import { checkAnsweringFields, resolveAnswering } from "./answering.ts";
import { resolveArmFiles } from "./arm-files.ts";
import { attempt, promptAt, type ResolveContext, readNamed } from "./context.ts";
import { checkDistinct } from "./ids.ts";
import { unknownTool } from "./policies.ts";
import { checkRanFields, resolveRan } from "./ran.ts";
/** The arms with `extends`, defaults and prompt files resolved. Meaningless after a problem. */
export async function resolveArms(context: ResolveContext, authored: readonly ArmFile[]): Promise<Arm[]> {
  const { problems } = context;
  checkDistinct(
    problems,
    ["arms"],
    authored.map(({ id }) => id),
  );
  const isDistinct = problems.sound(["arms"]);
  for (const [index, arm] of authored.entries()) checkOwn(problems, index, arm);
  const extended = isDistinct ? extendArms(problems, authored) : authored;
  for (const [index, arm] of extended.entries()) {
    checkAgentFields(problems, index, authored[index] ?? arm, arm);
    checkRanFields(problems, index, authored[index] ?? arm, arm);
    checkAnsweringFields(problems, index, authored[index] ?? arm, arm);
  }
  const agents = await resolveAgents(context, authored, extended);
  const files = await resolveArmFiles(context, authored, extended);
  return Promise.all(
    extended.map((arm, index) =>
      arm.ran
        ? resolveRanArm(context, index, arm, arm.ran)
        : resolveArm(context, index, arm, { agent: agents[index], files: files[index] }),
    ),
  );
}

/** Reserved as arm ids: they would read as outcomes. */
const RESERVED_ARM_IDS = ["tie", "none"];

function checkOwn(problems: Problems, index: number, arm: ArmFile): void {
  const { id, model, prompt, system_prompt, system_prompt_file, script, scripts } = arm;
  if (RESERVED_ARM_IDS.includes(id.toLowerCase()))
    problems.add(["arms", index, "id"], `"${id}" is reserved, it would read as an outcome; choose another`);
  checkModel(problems, index, arm);
  // With `extends`, the error belongs to the arm that it starts from.
  if (model === undefined && arm.extends === undefined && arm.ran === undefined && !isAnswering(arm))
    problems.add(["arms", index, "model"], "missing; expected <provider>/<model>");
  if (prompt?.trim() === "") problems.add(["arms", index, "prompt"], "must not be blank");
  if (system_prompt !== undefined && system_prompt_file !== undefined)
    problems.add(["arms", index, "system_prompt_file"], "system_prompt is given too; keep one");
  if (script && scripts) problems.add(["arms", index, "scripts"], "script is given too; keep one");
  checkCalls(problems, ["arms", index, "script"], script ?? []);
  for (const [at, { turns }] of (scripts ?? []).entries())
    checkCalls(problems, ["arms", index, "scripts", at, "turns"], turns);
}

function checkModel(problems: Problems, index: number, { model }: ArmFile): void {
  if (model === undefined) return;
  if (isImported(model))
    problems.add(["arms", index, "model"], `${model} is the name of a run that was made elsewhere; give it as \`ran\``);
  if (isAnsweringModel(model))
    problems.add(
      ["arms", index, "model"],
      `${model} is the name of an arm with \`endpoint\` or \`program\`; give that`,
    );
  if (isBuiltin(model)) problems.add(["arms", index, "model"], `${model} is a judge; an arm needs a model that acts`);
}

/** A tool that no arm can have is a slip of the pen. One that this arm lacks may be what the script shall show. */
function checkCalls(problems: Problems, path: FieldPath, turns: readonly ScriptTurn[]): void {
  for (const [turn, { calls = [] }] of turns.entries())
    for (const [call, named] of calls.entries())
      for (const name of Object.keys(named).filter((tool) => !isToolName(tool) && !splitMcpToolName(tool)))
        problems.add([...path, turn, "calls", call, name], unknownTool(name), { at: "key" });
}

/** An agent that an arm only inherits is resolved, and its mistakes are said, where it is written. */
async function resolveAgents(
  context: ResolveContext,
  authored: readonly ArmFile[],
  extended: readonly ArmFile[],
): Promise<(ExternalAgent | undefined)[]> {
  const resolved = new Map<unknown, ExternalAgent>();
  const written = extended.flatMap(({ agent }, index) => (agent && authored[index]?.agent ? [{ agent, index }] : []));
  for (const { agent, index } of written) resolved.set(agent, await resolveAgent(context, index, agent));
  return extended.map(({ agent }) => resolved.get(agent));
}

async function resolveArm(
  context: ResolveContext,
  index: number,
  arm: ArmFile,
  { agent, files }: { readonly agent: ExternalAgent | undefined; readonly files: FileSet | undefined },
): Promise<Arm> {
  const price_per_mtok = completePrice(context.problems, index, arm.price_per_mtok);
  const answering = resolveAnswering(context, index, arm);
  if (answering) return { ...answering, price_per_mtok, ...(files && { files }) };
  return { ...(await resolveModelArm(context, index, arm, agent)), price_per_mtok, ...(files && { files }) };
}

async function resolveModelArm(
  context: ResolveContext,
  index: number,
  arm: ArmFile,
  agent: ExternalAgent | undefined,
): Promise<Omit<Arm, "price_per_mtok">> {
  checkScript(context.problems, index, arm);
  return {
    id: arm.id,
    title: arm.title ?? arm.id,
    model: arm.model ?? "",
    ...(arm.prompt !== undefined && { prompt: arm.prompt }),
    system_prompt: arm.system_prompt ?? (await promptFromFile(context, index, arm.system_prompt_file)),
    ...(agent ? { tools: [], agent } : { tools: arm.tools ?? [...TOOL_NAMES] }),
    ...(arm.mcp && { mcp: Object.entries(arm.mcp).map(mcpServer) }),
    params: arm.params ?? {},
    limits: arm.limits ?? {},
    script: arm.script ?? null,
    ...(arm.scripts && { scripts: arm.scripts }),
  };
}

/** It runs nothing: what belongs to a run is empty. */
async function resolveRanArm(context: ResolveContext, index: number, arm: ArmFile, given: RanFile): Promise<Arm> {
  const { ran, model } = await resolveRan(context, index, given);
  const { id, title = id, price_per_mtok: price } = arm;
  return {
    ...{ id, title, model, system_prompt: "", tools: [], params: {}, limits: {}, script: null },
    price_per_mtok: completePrice(context.problems, index, price),
    ran,
  };
}

const mcpServer = ([name, { tools, ...server }]: [string, McpServerFile]): McpServer => ({
  ...{ name, timeout_s: COMMAND_TIMEOUT_S, ...server },
  tools: tools ?? null,
});

function checkScript(problems: Problems, index: number, { model, agent, script, scripts }: ArmFile): void {
  if (agent) return;
  if (model !== undefined && isScripted(model) && !script?.length && !scripts)
    problems.add(["arms", index, "script"], `missing; ${model} replays the arm's script and needs at least one turn`);
}

async function promptFromFile(
  context: ResolveContext,
  index: number,
  file: ArmFile["system_prompt_file"],
): Promise<string> {
  if (file === undefined) return "";
  if (typeof file !== "string") {
    const path = ["arms", index, "system_prompt_file", "git"];
    return (await attempt(context, path, JSON.stringify(file.git), () => promptAt(context, file))) ?? "";
  }
  const text = await attempt(context, ["arms", index, "system_prompt_file"], file, () =>
    readNamed(context, file, SCENARIO_FILE_BYTES),
  );
  return text ?? "";
}

function completePrice(problems: Problems, index: number, price: ArmFile["price_per_mtok"]): Price | null {
  if (!price) return null;
  for (const name of ["in", "out"] as const) {
    if (price[name] === undefined)
      problems.add(["arms", index, "price_per_mtok", name], "missing; expected US dollars per million tokens");
  }
  const { cached_in = null, cache_write, cache_write_1h } = price;
  return {
    ...{ in: price.in ?? 0, out: price.out ?? 0, cached_in },
    ...(cache_write !== undefined && { cache_write }),
    ...(cache_write_1h !== undefined && { cache_write_1h }),
  };
}

/**
 * Each arm with what it `extends` written out: maps merge by key, lists and texts replace. Each arm keeps its own id and
 * title. An arm whose chain is broken or leads in a circle stays as it is.
 */
function extendArms(problems: Problems, arms: readonly ArmFile[]): ArmFile[] {
  const byId = new Map(arms.map((arm) => [arm.id, arm]));
  return arms.map((arm, index) => {
    const { chain, fault } = chainOf(arm, byId);
    if (fault === null) return chain.reduceRight((base, own) => merged(base, own));
    problems.add(["arms", index, "extends"], fault);
    return arm;
  });
}

/** An arm and what it starts from, nearest first. */
function chainOf(arm: ArmFile, byId: ReadonlyMap<string, ArmFile>): { chain: ArmFile[]; fault: string | null } {
  const chain = [arm];
  for (let parent = arm.extends; parent !== undefined; ) {
    const next = byId.get(parent);
    if (next === undefined) {
      return { chain, fault: `there is no arm "${parent}"${didYouMean(parent, [...byId.keys()])}` };
    }
    if (chain.includes(next))
      return { chain, fault: `leads in a circle: ${[...chain, next].map(({ id }) => id).join(" -> ")}` };
    chain.push(next);
    parent = next.extends;
  }
  return { chain, fault: null };
}

/** An arm has one of these. When it gives one itself, it inherits none of them. */
const ALTERNATIVES = [
  ["system_prompt", "system_prompt_file"],
  ["script", "scripts"],
  ["endpoint", "program"],
] as const;

function merged(base: ArmFile, own: ArmFile): ArmFile {
  const given = ALTERNATIVES.filter((fields) => fields.some((field) => own[field] !== undefined)).flat();
  const replaced: readonly string[] = ["title", ...given];
  const inherited = Object.entries(base).filter(([field]) => !replaced.includes(field));
  const result: ArmFile = { ...Object.fromEntries(inherited), ...own };
  if (base.params && own.params) result.params = { ...base.params, ...own.params };
  if (base.limits && own.limits) result.limits = { ...base.limits, ...own.limits };
  if (base.agent && own.agent) result.agent = mergedAgent(asMap(base.agent), asMap(own.agent));
  if (base.mcp && own.mcp) result.mcp = { ...base.mcp, ...own.mcp };
  if (base.price_per_mtok && own.price_per_mtok)
    result.price_per_mtok = { ...base.price_per_mtok, ...own.price_per_mtok };
  return result;
}

const asMap = (agent: string | AgentMap): AgentMap => (typeof agent === "string" ? shortForm(agent) : agent);

/** What is said of one agent means nothing to another: only the same one inherits. */
function mergedAgent(base: AgentMap, own: AgentMap): AgentMap {
  const isOther = own.command !== undefined || (own.use !== undefined && own.use !== base.use);
  if (isOther) return own;
  return { ...base, ...own, ...(base.env && own.env && { env: { ...base.env, ...own.env } }) };
}
