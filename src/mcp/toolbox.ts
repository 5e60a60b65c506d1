import type { Tool } from "./tool.ts";
import { getScenario } from "./tools/get-scenario.ts";
import { getSession } from "./tools/get-session.ts";
import { listScenarios } from "./tools/list-scenarios.ts";
import { listSessions } from "./tools/list-sessions.ts";
import { rejudge } from "./tools/rejudge.ts";
import { runDoctor } from "./tools/run-doctor.ts";
import { runScenario } from "./tools/run-scenario.ts";

/** The seven tools (spec part 1), in the order in which a newcomer needs them. */
export const TOOLS: readonly Tool[] = [
  listScenarios,
  getScenario,
  runDoctor,
  runScenario,
  listSessions,
  getSession,
  rejudge,
];
