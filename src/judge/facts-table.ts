import type { JudgeConfig } from "../domain/scenario.ts";
import type { Facts } from "../domain/verdict.ts";

/** What code found out about an arm, in words of ours only: no path, command or output that the arm chose. */
export function factsTable(facts: Facts, visibility: JudgeConfig["probe_visibility"]): string {
  return [
    `- end: ${END[facts.status] ?? facts.status}`,
    `- changed files: ${changed(facts)}`,
    `- hidden checks: ${checks(facts, visibility)}`,
    `- rules broken: ${broken(facts)}`,
    ...facts.required.map(({ id, met }) => `- required ${id}: ${met ? "done" : "not done"}`),
  ].join("\n");
}

const END: Record<string, string> = {
  finished: "finished by itself",
  limit_reached: "stopped early by a budget; judged on what exists",
  disqualified: "stopped for breaking a rule",
  failed: "failed",
};

const changed = ({ changed_files, added, removed }: Facts) =>
  changed_files === null ? "not known" : `${changed_files} (+${added} -${removed} lines)`;

function checks({ probe }: Facts, visibility: JudgeConfig["probe_visibility"]): string {
  if (visibility === "hidden") return "not shown";
  return probe === null ? "none" : probe.checks.map(({ id, status }) => `${id} ${status}`).join(", ");
}

function broken({ violations }: Facts): string {
  const rules = violations.map(({ rule, severity, blocked }) => `${rule} (${blocked ? "refused" : severity})`);
  return rules.length === 0 ? "none" : [...new Set(rules)].join(", ");
}
