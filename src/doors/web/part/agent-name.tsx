import type { ArmSummary } from "../../../domain/session.ts";

/** The program that was the arm, with its version; nothing for abeval's own loop. */
export function AgentName({ arm: { agent } }: { arm: Pick<ArmSummary, "agent"> }) {
  if (!agent) return null;
  const name = agent.recipe ?? agent.install ?? "external agent";
  return (
    <span>
      {" "}
      · in <strong>{name}</strong> {agent.version ?? (agent.recipe ? "of unknown version" : "")}
      {agent.exit_code !== null && agent.exit_code !== 0 && `, exit code ${agent.exit_code}`}
    </span>
  );
}
