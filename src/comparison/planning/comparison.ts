import { identityOf } from "../../domain/answering.ts";
import type { Arm } from "../../domain/arm.ts";
import { canonicalJson } from "../../domain/canonical-json.ts";
import { Failure } from "../../domain/failure.ts";
import type { Scenario } from "../../domain/scenario.ts";
import { SERIES_PROTOCOL } from "../../domain/series-record.ts";
import type { EvidenceDigests, SessionOutcome } from "../../domain/session.ts";
import type { SessionSettings } from "../../domain/session-settings.ts";
import { sha256 } from "../../domain/sha256.ts";
import { type JudgeIdentity, judgeIdentity } from "../judge/open-judge.ts";
import { applyModelOverride } from "../scenario/declared-differences.ts";
import { comparabilityDigest, selfTestKey, sharedWork } from "../scenario/digest.ts";

/** What two arms share when they are compared, and who judges them. */
interface Conditions {
  readonly comparability: string;
  readonly judge: JudgeIdentity;
}

/** @param day of the run; absent: only the judge is meant, for whom it does not count */
export const conditionsOf = (definition: Scenario, judge_model: string, day?: string): Conditions => ({
  comparability: comparabilityDigest(definition, day),
  judge: judgeIdentity(judge_model, definition),
});

interface Compared extends Conditions {
  /** The arms as they run: with overridden models, prices and cost limits. */
  readonly arms: Scenario["arms"];
  readonly sandbox: SessionSettings["sandbox"];
  /** On which it runs, as 2026-11-28: it tells arms apart of which nobody said what runs there. */
  readonly day: string;
  /** The digests of each arm's installs: its agent's and its MCP servers'. */
  readonly installs: readonly [readonly string[], readonly string[]];
}

/**
 * SHA-256 over what is compared with what, by whom: task, rubric and policies, both arms in their order as they run, the
 * judge, the sandbox. Runs with the same digest repeat each other; a changed prompt is another comparison.
 */
export const comparisonDigest = (
  { comparability, judge, arms, sandbox, installs, day }: Compared,
  protocol: string = SERIES_PROTOCOL,
): string =>
  sha256(
    canonicalJson({
      protocol,
      comparability,
      arms: arms.map((arm, index) => armDigest(arm, day, installs[index] ?? [])),
      judge,
      sandbox,
    }),
  );

type Evidence = Pick<Compared, "arms" | "sandbox" | "installs" | "day">;

/** What is common to both arms, and what is an arm's: stored work of an arm may stand in where both are the same. */
export const evidenceDigests = (definition: Scenario, { arms, sandbox, installs, day }: Evidence): EvidenceDigests => ({
  common: sha256(
    canonicalJson({ ...sharedWork(definition, day), sandbox, ...(definition.input && { input: definition.input }) }),
  ),
  arms: arms.map((arm, index) => armDigest(arm, day, installs[index] ?? [])),
});

/** The digests of a session, computed for one that was stored without. @throws Failure `invalid_request` where they cannot be known */
export function evidenceDigestsOf(session: SessionOutcome): EvidenceDigests {
  if (session.evidence_digests) return session.evidence_digests;
  const { definition, request, settings, session_id, created_at } = session;
  const asRun = request.model_override === null ? definition : applyModelOverride(definition, request.model_override);
  if (asRun.arms.some(({ mcp = [] }) => mcp.length > 0))
    throw new Failure(
      "invalid_request",
      `${session_id} was stored without the versions of its MCP servers, so it is not known whether they are still the same; run a new series`,
    );
  const installs = session.arms.map(({ agent }) => (agent?.digest ? [agent.digest] : []));
  return evidenceDigests(definition, {
    arms: asRun.arms,
    sandbox: settings.sandbox,
    day: dayOf(created_at),
    installs: [installs[0] ?? [], installs[1] ?? []],
  });
}

/** What self-tests of the judge on this scenario are kept by; null when no model judges. */
export const selfTestKeyOf = ({ comparability, judge }: Conditions): string | null =>
  judge.prompt_digest === null ? null : selfTestKey(comparability, judge);

/** Of a moment as the wire has it. */
export const dayOf = (at: string): string => at.slice(0, "2026-11-28".length);

/** An arm by any name or price is the same arm. */
function armDigest(
  { id: _id, title: _title, price_per_mtok: _price, ...arm }: Arm,
  day: string,
  installs: readonly string[],
): string {
  const { model, endpoint, program, ...rest } = arm;
  if (endpoint) return sha256(canonicalJson({ ...rest, endpoint: identityOf(endpoint, day) }));
  if (program) return sha256(canonicalJson({ ...rest, program }));
  return sha256(canonicalJson(installs.length === 0 ? arm : { ...arm, installs }));
}
