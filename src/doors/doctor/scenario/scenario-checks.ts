import type { Check } from "../check.ts";
import type { DeclaredScenario } from "../services.ts";
import { agentsStart } from "./agent-start.ts";
import { agentsDir, agentsHome, agentsNode, agentsVersion, agentsWire } from "./agents.ts";
import { contrast, varies } from "./arms.ts";
import { costBudget, secondsBudget, tokenBudget } from "./budget.ts";
import type { DryRun } from "./dry-run.ts";
import { fixtureFiles, fixtureHistory, fixtureSetup } from "./fixture.ts";
import { leakedFiles } from "./leaked-files.ts";
import { leakedLines } from "./leaked-lines.ts";
import { mcpRules, mcpStart } from "./mcp.ts";
import { armModels, judgeModel, modelSandbox } from "./models.ts";
import { placeholders } from "./placeholders.ts";
import { before, discrimination, stability } from "./probe.ts";
import { globs, protectedFiles } from "./protected.ts";
import { referenceApplies, referenceDeliverable, referencePasses, referencePaths } from "./reference.ts";
import { replayRecordings } from "./replay.ts";
import { judgeFamily, weights } from "./rubric.ts";
import { scriptedCalls } from "./scripted-calls.ts";
import { judgeSelfTest } from "./self-test.ts";

/** Checks that need the definition alone. */
export const DECLARED_CHECKS: readonly Check<DeclaredScenario>[] = [
  contrast,
  varies,
  replayRecordings,
  armModels,
  judgeModel,
  modelSandbox,
  scriptedCalls,
  placeholders,
  agentsDir,
  agentsVersion,
  agentsWire,
  agentsHome,
  mcpRules,
  weights,
  judgeFamily,
  judgeSelfTest,
  tokenBudget,
  costBudget,
  referencePaths,
  referenceDeliverable,
];

/** Checks that copy files and run commands. */
export const DRY_RUN_CHECKS: readonly Check<DryRun>[] = [
  fixtureFiles,
  fixtureHistory,
  leakedFiles,
  leakedLines,
  fixtureSetup,
  agentsNode,
  mcpStart,
  agentsStart,
  globs,
  before,
  discrimination,
  protectedFiles,
  referenceApplies,
  referencePasses,
  stability,
  secondsBudget,
];
