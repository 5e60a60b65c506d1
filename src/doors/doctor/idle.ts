import type { DoctorCheck } from "../../domain/health.ts";

/** What checks find that have nothing to look at. Several may find the same; people are told it once. */
export const IDLE = {
  no_recording: "no recording is replayed",
  no_agent: "no arm is an external agent",
  no_node: "no agent needs Node",
  no_mcp: "no arm has MCP servers",
  no_script: "no arm replays a script",
  no_judged: "no criterion is judged by a model",
  no_judge: "no model judges",
  no_setup: "nothing to set up",
  no_protected: "nothing is protected",
  no_varies: "the scenario declares no `varies`",
  no_probe: "the scenario has no probe",
  no_reference: "the scenario has no reference_fix",
  not_examinable: "no check looks at what the reference gives",
} as const;

const FOUND: ReadonlySet<string | null> = new Set(Object.values(IDLE));

export const isIdle = ({ status, detail }: DoctorCheck): boolean =>
  (status === "pass" || status === "skip") && FOUND.has(detail);
