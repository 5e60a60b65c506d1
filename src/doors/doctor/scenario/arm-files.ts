import { type AgentArm, isAgentArm } from "../../../comparison/planning/agent-runner.ts";
import { filesSource } from "../../../comparison/scenario/fixture-source.ts";
import { listMaterial } from "../../../comparison/scenario/materials.ts";
import { Failure } from "../../../domain/failure.ts";
import { counted } from "../../../domain/number-text.ts";
import { SKILL } from "../../../domain/policies.ts";
import { skillsAmong } from "../../../domain/skill.ts";
import { type Check, fail, IDLE, pass, warn } from "../check.ts";
import type { DryRun } from "./dry-run.ts";

/** They are laid over the fixture as it is after setup, which nobody knows before. */
export const armFiles: Check<DryRun> = {
  id: "arms.files",
  title: "Each arm's own files fit its workspace",
  needs: ["fixture.setup"],
  async run(dryRun) {
    const lines: string[] = [];
    for (const arm of dryRun.loaded.definition.arms) {
      try {
        const notes = await dryRun.notes(arm);
        if (notes) lines.push(`${arm.id}: ${shown(notes.paths)}`);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        return fail(`${arm.id}: ${error.message}`, "rename it, or remove it from the arm's `files`");
      }
    }
    return pass(lines.length === 0 ? IDLE.no_arm_files : lines.join("; "));
  },
};

const SHOWN = 5;

const shown = (paths: readonly string[]) =>
  paths.length <= SHOWN
    ? paths.join(", ")
    : `${paths.slice(0, SHOWN).join(", ")} and ${counted(paths.length - SHOWN, "more file")}`;

/** A skill that an agent does not tell its model of can never be read. */
export const agentSkills: Check<DryRun> = {
  id: "agents.skills",
  title: "External agents offer their skills",
  needs: ["agents.start", "arms.files"],
  async run(dryRun, signal) {
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
};

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
