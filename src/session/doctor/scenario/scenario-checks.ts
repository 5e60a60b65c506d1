import type { Check } from "../check.ts";
import { contrast, varies } from "./arms.ts";
import { costBudget, secondsBudget, tokenBudget } from "./budget.ts";
import type { Declared } from "./declared.ts";
import { fixtureFiles, fixtureHistory, fixtureSetup } from "./fixture.ts";
import { globs } from "./globs.ts";
import { leakedFiles } from "./leaked-files.ts";
import { leakedLines } from "./leaked-lines.ts";
import { armModels, judgeModel, modelSandbox } from "./models.ts";
import { before, discrimination, stability } from "./probe.ts";
import { protectedFiles } from "./protected.ts";
import { referenceApplies, referenceDeliverable, referencePasses, referencePaths } from "./reference.ts";
import { judgeFamily, weights } from "./rubric.ts";
import type { Trial } from "./trial.ts";

/** What can be told from the definition alone. */
export const DECLARED_CHECKS: readonly Check<Declared>[] = [
  contrast,
  varies,
  armModels,
  judgeModel,
  modelSandbox,
  weights,
  judgeFamily,
  tokenBudget,
  costBudget,
  referencePaths,
  referenceDeliverable,
];

/** What is only known after files were copied and commands run. */
export const TRIED_CHECKS: readonly Check<Trial>[] = [
  fixtureFiles,
  fixtureHistory,
  leakedFiles,
  leakedLines,
  fixtureSetup,
  globs,
  before,
  discrimination,
  protectedFiles,
  referenceApplies,
  referencePasses,
  stability,
  secondsBudget,
];
