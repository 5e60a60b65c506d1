import { isUnversioned } from "../../../domain/answering.ts";
import type { Arm } from "../../../domain/arm.ts";
import type { BaselineMember, StandIn } from "../../../domain/baseline.ts";
import { canonicalJson } from "../../../domain/canonical-json.ts";
import { Failure } from "../../../domain/failure.ts";
import type { Scenario } from "../../../domain/scenario.ts";
import type { EvidenceDigests } from "../../../domain/session.ts";
import { postedChecks } from "../../../domain/task.ts";
import { SIDES, type Side } from "../../../domain/verdict.ts";

/** The stored runs of a scenario, and which of them the trial takes: its round, from 1. */
export interface StoredChoice {
  readonly series_id: string;
  readonly member: BaselineMember;
  readonly round: number;
  /** The arm that they stand in for, where both are as they were. Absent: one of them may be another. */
  readonly side?: Side | undefined;
}

interface Wanted {
  readonly definition: Scenario;
  readonly digests: EvidenceDigests;
}

/**
 * The stored arm that stands in for an arm of the scenario: b where both are the same. Undefined beyond the last stored run.
 * @throws Failure `invalid_request` naming what differs
 */
export function standInFor(
  { series_id, member, round, side }: StoredChoice,
  { definition, digests }: Wanted,
): StandIn | undefined {
  const stored = member.evidence_digests;
  const unknown = [
    ...definition.arms.filter(isUnversioned).map(({ id }) => nobodyKnows(`arm "${id}"`, "endpoint.version")),
    ...postedChecks(definition.task)
      .filter(isUnversioned)
      .map(({ id }) => nobodyKnows(`check "${id}"`, "posted.version")),
  ];
  if (unknown.length > 0) throw differs(series_id, definition, unknown);
  if (stored.common !== digests.common)
    throw differs(series_id, definition, commonDifferences(member.definition, definition));
  if (side !== undefined && digests.arms.some((digest, index) => digest !== stored.arms[index]))
    throw ourArmChanged(series_id, member.definition, {
      name: definition.name,
      arms: definition.arms.filter((_, index) => digests.arms[index] !== stored.arms[index]),
    });
  const own = sidesToTry(side).find((index) => stored.arms.includes(digests.arms[index] ?? ""));
  if (own === undefined) throw differs(series_id, definition, armDifferences(member.definition, definition));
  const of = stored.arms.lastIndexOf(digests.arms[own] ?? "");
  const run = member.runs[round - 1];
  if (run === undefined) return undefined;
  const { session_id, at, load } = run;
  return {
    side: own === 0 ? "a" : "b",
    of: of === 0 ? "a" : "b",
    from: { session_id, arm_id: member.definition.arms[of === 0 ? 0 : 1].id, at },
    load: async () => (await load())[of === 0 ? 0 : 1],
  };
}

const nobodyKnows = (who: string, field: string) =>
  `${who} has no ${field}, so it is not known whether what runs there is still the same`;

const sidesToTry = (side: Side | undefined): readonly number[] => (side === undefined ? [1, 0] : [SIDES.indexOf(side)]);

/** An arm that is another one is compared with its runs as a candidate is, not watched. */
const ourArmChanged = (
  series_id: string,
  stored: Scenario,
  now: { readonly name: string; readonly arms: readonly Arm[] },
) =>
  new Failure(
    "invalid_request",
    `${series_id} ran other arms in ${now.name}: ${armDifferences(stored, now).join("; ")}; a changed arm is another comparison: run a new reference`,
  );

const differs = (series_id: string, { name, input }: Scenario, what: readonly string[]) =>
  new Failure(
    "invalid_request",
    `baseline ${series_id} does not fit ${name}${input ? `[${input.id}]` : ""}: ${what.join("; ")}; bless a new series, or run without --baseline`,
    { details: { field: "baseline", differing: [...what] } },
  );

function commonDifferences(stored: Scenario, now: Scenario): readonly string[] {
  const [before, after] = [partsOf(stored), partsOf(now)];
  const differing = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (part) => canonicalJson(before[part] ?? null) !== canonicalJson(after[part] ?? null),
  );
  return [differing.length > 0 ? `${differing.join(", ")} changed` : "the sandbox is another one"];
}

const partsOf = ({ task, policies, input }: Scenario): Readonly<Record<string, unknown>> => ({
  ...Object.fromEntries(Object.entries(task).map(([field, value]) => [`task.${field}`, placeless(value)])),
  policies,
  ...(input && { input }),
});

/** Where files lie says nothing: their digests do. */
const placeless = (value: unknown): unknown =>
  typeof value === "object" && value !== null && "digest" in value ? value.digest : value;

function armDifferences(stored: Scenario, now: { readonly arms: readonly Arm[] }): readonly string[] {
  return now.arms.map((arm) => {
    const nearest = stored.arms.find(({ id }) => id === arm.id) ?? stored.arms[0];
    const [before, after]: Readonly<Record<string, unknown>>[] = [nearest, arm];
    const differing = Object.keys({ ...before, ...after }).filter(
      (field) => !NAMES.has(field) && canonicalJson(before?.[field] ?? null) !== canonicalJson(after?.[field] ?? null),
    );
    const told = differing.length > 0 ? differing.join(", ") : "an install";
    return `arm "${arm.id}" is none of its arms (${told} differs from its "${nearest.id}")`;
  });
}

/** What an arm is called, and what it costs, makes it no other. */
const NAMES: ReadonlySet<string> = new Set(["id", "title", "price_per_mtok"]);
