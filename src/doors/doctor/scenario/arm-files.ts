import { type AgentArm, isAgentArm } from "../../../comparison/planning/agent-runner.ts";
import { serversOf } from "../../../comparison/planning/mcp-tools.ts";
import { filesSource } from "../../../comparison/scenario/fixture-source.ts";
import { listMaterial } from "../../../comparison/scenario/materials.ts";
import { Failure } from "../../../domain/failure.ts";
import { counted } from "../../../domain/number-text.ts";
import { SKILL } from "../../../domain/policies.ts";
import { skillsAmong } from "../../../domain/skill.ts";
import { after, afterSetup, check, fail, IDLE, orRefusal, pass, warn } from "../check.ts";
import type { DeclaredScenario } from "../services.ts";
import type { DryRun } from "./dry-run.ts";

/** They are laid over the fixture as it is after setup, which nobody knows before. */
export const armFiles = afterSetup("arms.files", "Each arm's own files fit its workspace", async (dryRun: DryRun) => {
  const lines: string[] = [];
  for (const arm of dryRun.loaded.definition.arms) {
    const notes = await orRefusal(() => dryRun.notes(arm));
    if (notes instanceof Failure)
      return fail(`${arm.id}: ${notes.message}`, "rename it, or remove it from the arm's `files`");
    if (notes) lines.push(`${arm.id}: ${shown(notes.paths)}`);
  }
  return pass(lines.length === 0 ? IDLE.no_arm_files : lines.join("; "));
});

const SHOWN = 5;

const shown = (paths: readonly string[]) =>
  paths.length <= SHOWN
    ? paths.join(", ")
    : `${paths.slice(0, SHOWN).join(", ")} and ${counted(paths.length - SHOWN, "more file")}`;

/** A skill that an agent does not tell its model of can never be read. */
export const agentSkills = after("agents.start", "arms.files")(
  "agents.skills",
  "External agents offer their skills",
  async (dryRun: DryRun, signal) => {
    const lines: string[] = [];
    const lacking: string[] = [];
    for (const arm of dryRun.loaded.definition.arms.filter(isAgentArm)) {
      const skills = await skillsOf(dryRun, arm);
      if (skills.length === 0) continue;
      const { told } = await dryRun.rehearse(arm, signal);
      const offered = skills.filter(told);
      if (offered.length > 0) lines.push(`${arm.id} offers ${offered.join(", ")}`);
      if (offered.length < skills.length)
        lacking.push(`${arm.id} does not tell its model of ${skills.filter((skill) => !told(skill)).join(", ")}`);
    }
    if (lacking.length > 0) return warn([...lacking, ...lines].join("; "), SKILL_HINT);
    return pass(lines.length === 0 ? IDLE.no_skill : lines.join("; "));
  },
);

const SKILL_HINT =
  "agents look in places of their own, as .claude/skills/<name>/SKILL.md or .agents/skills/<name>/SKILL.md, and read `name` and `description` at the top of the file";

/** The skills in the workspace or in the agent's home. Files of a commit in its home are not looked at. */
async function skillsOf(dryRun: DryRun, arm: AgentArm): Promise<readonly string[]> {
  const { loaded } = dryRun;
  const { dir, files } = filesSource(loaded, arm.agent.files);
  const below = dir === null ? [] : (await listMaterial(dir)).map(({ path }) => path);
  const notes = await dryRun.notes(arm);
  const { required } = loaded.definition.policies;
  const asked = required.flatMap(({ tool, match, min }) =>
    tool === SKILL && min > 0 && match !== null ? [match] : [],
  );
  const given = skillsAmong([...(notes?.paths ?? []), ...below, ...Object.keys(files)]);
  return given.length === 0 ? [] : [...new Set([...given, ...asked])];
}

/** Larger lists of tools make every turn of the arm noticeably more expensive. */
const MANY_TOOLS = 40;
const MANY_BYTES = 32_000;

/** Costs nothing, and finds before a run what would refuse it. */
export const mcpStart = afterSetup("mcp.start", "MCP servers start", async (dryRun: DryRun, signal) => {
  const arms = dryRun.loaded.definition.arms.filter((arm) => serversOf(arm).length > 0);
  if (arms.length === 0) return pass(IDLE.no_mcp);
  const sizes: { readonly text: string; readonly isLarge: boolean }[] = [];
  for (const arm of arms) {
    const opened = await dryRun.mcpTools(arm, signal);
    const { tools = [], bytes = 0 } = opened ?? {};
    await opened?.[Symbol.asyncDispose]();
    const text = `${arm.id}: ${counted(tools.length, "tool")}, ${(bytes / 1000).toFixed(1)} kB of descriptions`;
    sizes.push({ text, isLarge: tools.length >= MANY_TOOLS || bytes >= MANY_BYTES });
  }
  const detail = sizes.map(({ text }) => text).join("; ");
  if (sizes.every(({ isLarge }) => !isLarge)) return pass(detail);
  return warn(`${detail}; every turn sends them`, "list only the tools that the task needs in the server's `tools`");
});

/** Warns of rules that cannot see what an MCP server does. */
export const mcpRules = check("mcp.rules", "Rules cover MCP tools", ({ loaded }: DeclaredScenario) => {
  const { arms, policies } = loaded.definition;
  if (arms.every((arm) => serversOf(arm).length === 0)) return pass(IDLE.no_mcp);
  const { commands, paths } = policies;
  const blind = [
    commands.deny.length > 0 && "commands.deny",
    commands.allow !== null && "commands.allow",
    !paths.writable.includes("**") && "paths.writable",
  ].filter((rule) => rule !== false);
  if (blind.length === 0) return pass("no rule applies to them");
  return warn(
    `${blind.join(", ")} cannot stop what a server does; changed files are compared afterwards`,
    "list only allowed tools in the server's `tools`",
  );
});
