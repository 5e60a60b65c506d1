import type { Arm } from "../../domain/arm.ts";
import { canonicalJson } from "../../domain/canonical-json.ts";
import { isBuiltin } from "../../domain/offline-model.ts";
import type { Scenario } from "../../domain/scenario.ts";
import { SERIES_PROTOCOL } from "../../domain/series-record.ts";
import type { SessionSettings } from "../../domain/session.ts";
import { sha256 } from "../../domain/sha256.ts";
import { judgeIdentity } from "../judge/judge-identity.ts";
import { isJudged } from "../judge/scenario-brief.ts";
import { comparabilityDigest, selfTestKey } from "../scenario/digest.ts";

export interface Compared {
  /** With override, prices and cost limits, as it is run. */
  readonly scenario: Scenario;
  readonly judge_model: string;
  readonly sandbox: SessionSettings["sandbox"];
  /** Of each arm: what the installs of its agent and its MCP servers are known by. */
  readonly installs: readonly [readonly string[], readonly string[]];
}

/**
 * SHA-256 over what is compared with what, by whom: task, rubric and policies, both arms in their order as they run, the
 * judge, the sandbox. Runs with the same digest repeat each other; a changed prompt is another comparison.
 */
export const comparisonDigest = ({ scenario, judge_model, sandbox, installs }: Compared): string =>
  sha256(
    canonicalJson({
      protocol: SERIES_PROTOCOL,
      comparability: comparabilityDigest(scenario),
      arms: scenario.arms.map((arm, index) => armDigest(arm, installs[index] ?? [])),
      judge: judgeIdentity(judge_model, scenario),
      sandbox,
    }),
  );

/** What self-tests of the judge on this scenario are kept by; null when no model judges. */
export function selfTestKeyOf(definition: Scenario, judge_model: string): string | null {
  if (isBuiltin(judge_model) || !definition.rubric.criteria.some(isJudged)) return null;
  return selfTestKey(comparabilityDigest(definition), judgeIdentity(judge_model, definition));
}

/** An arm by any name or price is the same arm. */
const armDigest = (
  { id: _id, title: _title, price_per_mtok: _price, ...arm }: Arm,
  installs: readonly string[],
): string => sha256(canonicalJson(installs.length === 0 ? arm : { ...arm, installs }));
