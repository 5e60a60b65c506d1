import { decidedText } from "../domain/decided-text.ts";
import { whyDisqualified } from "../domain/disqualification.ts";
import { endText } from "../domain/end-text.ts";
import type { ArmSummary, SessionOutcome } from "../domain/session.ts";
import { suspicionLines } from "../domain/suspicion-text.ts";
import { costParts } from "../domain/usage.ts";
import { usdText } from "../domain/usd-text.ts";
import type { CriterionScore, Verdict } from "../domain/verdict.ts";
import { plain, table } from "./markdown-text.ts";

/** The session as a short page for a pull request: the statement, both arms side by side, each criterion. */
export function markdownOf(outcome: SessionOutcome): string {
  const { verdict, scenario, session_id, failure } = outcome;
  const title = `## abeval: ${plain(scenario)}\n`;
  if (verdict === null) {
    const why = `No verdict: ${plain(failure?.message ?? "the session did not finish")}\n`;
    return [title, why, table(["", ...outcome.arms.map((arm) => arm.arm_id)], armRows(outcome.arms))].join("\n");
  }
  const parts = [
    title,
    `${`**${headline(verdict)}** ${decidedText(verdict)}`.trim()}\n`,
    `${plain(verdict.statement)}\n`,
    table(["", ...outcome.arms.map((arm) => arm.arm_id)], armRows(outcome.arms)),
    table(["criterion", "weight", verdict.arm_a.arm_id, verdict.arm_b.arm_id], verdict.criteria.map(criterionRow)),
    ...(verdict.flags.length > 0 ? [`Flags: ${verdict.flags.map((flag) => `\`${flag}\``).join(", ")}\n`] : []),
    ...suspicionLines(verdict).map((line) => `Suspected words of ${plain(line)}\n`),
    `Cost: ${plain(costParts(outcome).join(", "))}\n`,
    `Judge \`${plain(verdict.judge.model)}\`, session \`${session_id}\`, abeval ${outcome.version}\n`,
  ];
  return parts.join("\n");
}

const headline = ({ outcome, winner }: Verdict) => (winner === null ? outcome : `${plain(winner)} wins`);

type ArmRow = (name: string, cell: (arm: ArmSummary) => string) => string[];

function armRows(arms: readonly ArmSummary[]): string[][] {
  const row: ArmRow = (name, cell) => [name, ...arms.map(cell)];
  const unknown = (value: number | null, text: (value: number) => string) => (value === null ? "unknown" : text(value));
  return [
    row("model", (arm) => arm.model),
    row("ended", endText),
    ...disqualified(arms, row),
    row("hidden checks", ({ probe }) => (probe ? `${probe.passed} of ${probe.total}` : "none")),
    row("failed checks", ({ probe }) => failedChecks(probe) || "none"),
    row("turns, tool calls", (arm) => `${arm.turns}, ${arm.tool_calls}`),
    row("tokens in, out", (arm) => `${unknown(arm.tokens_in, String)}, ${unknown(arm.tokens_out, String)}`),
    row("cost", (arm) => usdText(arm.cost_usd)),
    row("working time", (arm) => `${(arm.working_ms / 1000).toFixed(1)} s`),
  ];
}

/** A row only where an arm was disqualified. */
function disqualified(arms: readonly ArmSummary[], row: ArmRow): string[][] {
  const why = (arm: ArmSummary) => whyDisqualified(arm.violations).join(" and ");
  return arms.some(why) ? [row("disqualified", (arm) => why(arm) || "no")] : [];
}

const failedChecks = (probe: ArmSummary["probe"]) =>
  (probe?.checks ?? [])
    .filter(({ status }) => status !== "pass")
    .map(({ id }) => id)
    .join(", ");

function criterionRow({ id, weight, score_a, score_b, supported }: CriterionScore): string[] {
  const cell = (score: number | null) => (supported && score !== null ? score.toFixed(2) : "not scored");
  return [id, String(weight), cell(score_a), cell(score_b)];
}
