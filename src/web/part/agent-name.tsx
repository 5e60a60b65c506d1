import type { ArmSummary } from "../../domain/session.ts";

/** The program that was the arm, with its version; nothing for abeval's own loop. */
export function AgentName({ arm: { agent } }: { arm: Pick<ArmSummary, "agent"> }) {
  if (!agent) return null;
  const name = agent.install ?? agent.recipe ?? "a command of the scenario";
  return (
    <span>
      {" "}
      · in <strong>{name}</strong> {agent.version ?? "of unknown version"}
      {agent.exit_code !== null && agent.exit_code !== 0 && `, exit code ${agent.exit_code}`}
    </span>
  );
}
