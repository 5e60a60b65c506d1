import { type MemberKey, memberName } from "../../../../domain/member.ts";
import { percentText } from "../../../../domain/number-text.ts";
import type { Series } from "../../../../domain/series.ts";
import type { ArmSummary, SessionOutcome } from "../../../../domain/session.ts";
import { confidenceText } from "../../../../statistics/figure-text.ts";
import { usd } from "../../format.ts";
import type { PairOf } from "./kinship.ts";

/** A series, and a session of one of its trials, which says more of its set-up; null when none is stored. */
interface SetUp {
  readonly series: Series;
  readonly trial: SessionOutcome | null;
}

/** One thing that a series has. Null: it is not known, or nobody chose it. */
export interface SetUpRow {
  readonly name: string;
  readonly texts: PairOf<string | null>;
  /** A win rate may depend on what is set up and on what a scenario's definition holds; not on how the series was run. */
  readonly kind: "set_up" | "definition" | "run";
}

type Text = (set_up: SetUp) => string | null | undefined;

/** Characters of a digest that tell it from others. */
const DIGEST = 12;
const short = (digest: string | null | undefined) => digest?.slice(0, DIGEST);

const SET_UP: readonly (readonly [name: string, text: Text])[] = [
  ["Arm A", ({ series }) => series.arms.a.arm_id],
  ["Arm B", ({ series }) => series.arms.b.arm_id],
  ["Model of arm A", ({ trial }) => trial && modelText(trial.arms[0])],
  ["Model of arm B", ({ trial }) => trial && modelText(trial.arms[1])],
  ["Agent of arm A", ({ trial }) => trial && agentText(trial.arms[0])],
  ["Agent of arm B", ({ trial }) => trial && agentText(trial.arms[1])],
  ["Judge", ({ series }) => series.judge.model],
  ["Judging protocol", ({ trial }) => trial?.verdict?.judge.protocol],
  [
    "Judge's prompt",
    ({ trial }) => trial?.verdict && (short(trial.verdict.judge.prompt_digest) ?? "no model was asked"),
  ],
  ["Sandbox", ({ trial }) => trial?.settings.sandbox],
  ["Seed of the scripts", ({ series: { plan } }) => (plan?.scripted ? plan.seed : null)],
];

const RUN: readonly (readonly [name: string, text: Text])[] = [
  ["Statistics", ({ series }) => series.protocol],
  ["Sure means", ({ series }) => confidenceText(series.levels.alpha)],
  ["Margin", ({ series: { levels } }) => `${percentText(0.5 - levels.margin)} to ${percentText(0.5 + levels.margin)}`],
  ["Trials of each scenario", ({ series: { limits } }) => limits && String(limits.trials)],
  ["Ends when sure", ({ series: { limits } }) => limits && (limits.stop_when_sure ? "yes" : "no")],
  ["Trials at once", ({ series: { limits } }) => limits && String(limits.parallel)],
  [
    "May cost",
    ({ series: { limits } }) => limits && (limits.max_cost_usd === null ? "no limit" : usd(limits.max_cost_usd)),
  ],
  ["abeval", ({ trial }) => trial?.version],
];

const modelText = ({ model, model_served }: ArmSummary) =>
  model_served === null || model.endsWith(model_served) ? model : `${model}, answered by ${model_served}`;

const agentText = ({ agent }: ArmSummary) =>
  agent ? `${agent.recipe ?? agent.install ?? "external agent"} ${agent.version ?? ""}`.trim() : "abeval's own loop";

/** Every thing that either has, what a win rate may depend on first. */
export function setUpRows(two: PairOf<SetUp>): readonly SetUpRow[] {
  const rows = (fields: readonly (readonly [string, Text])[], kind: "set_up" | "run") =>
    fields.map(([name, text]) => ({ name, texts: bothOf(two, text), kind }));
  return [...rows(SET_UP, "set_up"), ...definitionRows(two), ...rows(RUN, "run")].filter(({ texts }) =>
    texts.some((text) => text !== null),
  );
}

const bothOf = ([one, other]: PairOf<SetUp>, text: Text): PairOf<string | null> => [
  text(one) ?? null,
  text(other) ?? null,
];

/** The rows of every scenario, or row of inputs, in either series. */
function definitionRows(two: PairOf<SetUp>): readonly SetUpRow[] {
  const [first, second] = [digestsIn(two[0]), digestsIn(two[1])];
  return [...new Set([...first.keys(), ...second.keys()])].map((name) => ({
    name: `Definition of ${name}`,
    texts: [textOf(first, name), textOf(second, name)],
    kind: "definition",
  }));
}

const digestsIn = ({ series }: SetUp) =>
  new Map(series.scenarios.map((member) => [memberName(member), short(member.digest) ?? null]));

const textOf = (digests: ReadonlyMap<MemberKey, string | null>, name: MemberKey) => {
  const digest = digests.get(name);
  return digest === undefined ? "not in it" : digest;
};

/** `Judge, Model of arm A, the definitions of 5 scenarios`: what is known to differ and a win rate may depend on; empty for nothing. */
export function namesOfDifferences(rows: readonly SetUpRow[]): string {
  const different = rows.filter((row) => differs(row) && !row.texts.includes(null));
  const definitions = different.filter(({ kind }) => kind === "definition");
  const names = different.filter(({ kind }) => kind === "set_up").map(({ name }) => name);
  if (definitions.length > 1) names.push(`the definitions of ${definitions.length} scenarios`);
  return [...names, ...(definitions.length === 1 ? [definitions[0]?.name] : [])].join(", ");
}

export const differs = ({ texts: [one, other] }: SetUpRow): boolean => one !== other;
