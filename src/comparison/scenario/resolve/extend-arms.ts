import { didYouMean } from "../../../domain/did-you-mean.ts";
import type { AgentMap } from "../authored/agent-file.ts";
import type { ArmFile } from "../authored/arm-file.ts";
import type { Problems } from "../authored/problems.ts";
import { shortForm } from "./agent.ts";

/**
 * Each arm with what it `extends` written out: maps merge by key, lists and texts replace. Each arm keeps its own id and
 * title. An arm whose chain is broken or leads in a circle stays as it is.
 */
export function extendArms(problems: Problems, arms: readonly ArmFile[]): ArmFile[] {
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
