import { type Static, Type } from "@sinclair/typebox";
import { isMissed, whyText } from "./check-result.ts";
import { MAX_TABLE_ARMS } from "./contest-plan.ts";
import { whyDisqualified } from "./disqualification.ts";
import { endText } from "./end-text.ts";
import type { CheckResult } from "./evidence.ts";
import { GivenName } from "./results.ts";
import { InputId } from "./scenario.ts";
import { nullable, oneOf, record, Share, Slug } from "./schema.ts";
import { type ArmSummary, SessionId, type SessionOutcome, wholeAnswer } from "./session.ts";
import { saidTo, type Task } from "./task.ts";
import { failureLines } from "./telling-lines.ts";
import { OUTCOMES } from "./verdict.ts";

/** JSON of a cell, and of what its row was asked, in bytes: whoever reads a grid reads hundreds. */
export const CELL_BYTES = 2_048;

const FailedCheck = record("FailedCheck", {
  check: Slug(),
  why: nullable(Type.String(), { description: "Null where it is kept from the reader." }),
});

export const Cell = record(
  "Cell",
  {
    arm_id: GivenName("As in `arms`."),
    answer: Type.Optional(Type.String({ description: "What it answered. Absent: its work is a change, or none." })),
    change: Type.Optional(Type.String({ description: "Its patch. Absent: its work is an answer, or none." })),
    cut: Type.Optional(Type.Literal(true, { description: "Something of the cell was cut. Absent: it is whole." })),
    ended: Type.Optional(Type.String({ description: "How it ended where it did not finish. Absent: it finished." })),
    failed: Type.Array(FailedCheck, { description: "Hidden checks that it did not pass." }),
    score: nullable(Share("Of the verdict, else of its hidden checks; of an imported result, that.")),
    cost_usd: nullable(Type.Number({ minimum: 0 }), { description: "USD; null = unknown." }),
    session_id: Type.Optional(
      Type.String({
        ...SessionId,
        description: "Of a contest: the session that has its run. Absent: that of the row.",
      }),
    ),
  },
  { description: `What an arm left in a trial, in at most ${CELL_BYTES} bytes.` },
);
export type Cell = Static<typeof Cell>;

const ASKED = {
  values: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description: "Of the row's columns those that the arms were shown, each cut. Absent: it has no inputs.",
    }),
  ),
  asked: Type.Optional(Type.String({ description: "The task's prompt, cut. Absent: `values` say what was asked." })),
};

/** What a store keeps of a trial that ended, for a grid. */
export const TrialWork = record("TrialWork", { ...ASKED, cells: Type.Array(Cell, { minItems: 2, maxItems: 2 }) });
export type TrialWork = Static<typeof TrialWork>;

export const GridRow = record(
  "GridRow",
  {
    scenario: GivenName("Name of the scenario."),
    input: Type.Optional(InputId),
    ...ASKED,
    trial: nullable(Type.Integer({ minimum: 1 }), {
      description:
        "Its trial that is shown: the first that came out as most of them; of a contest the first of its round. Null: none has ended.",
    }),
    round: Type.Optional(Type.Integer({ minimum: 1, description: "Of a contest: its round that is shown." })),
    session_id: Type.Optional(Type.String({ ...SessionId, description: "Of that trial. Absent: it has none." })),
    cells: Type.Array(Cell, {
      maxItems: MAX_TABLE_ARMS,
      description: "Of a, then of b, or of each arm of a contest that ran; empty where nothing is known of them.",
    }),
    outcome: nullable(oneOf(OUTCOMES), { description: "Null: none, or a contest." }),
    winner: nullable(GivenName("Id of the arm that won the trial."), { description: "Null: none, or a contest." }),
  },
  { description: "A scenario, or a row of its inputs, with what each arm left." },
);
export type GridRow = Static<typeof GridRow>;

type Ended = Omit<SessionOutcome, "decisions">;

/** Pure. What both arms left, cut so that each cell, and what was asked, takes at most `CELL_BYTES` as JSON. */
export function trialWorkOf(outcome: Ended): TrialWork {
  const { verdict, arms } = outcome;
  const scores = verdict?.kind === "run" ? [verdict.score_a, verdict.score_b] : [];
  const cells = arms.map((arm, index) => cellOf(arm, outcome, scores[index] ?? arm.probe?.score ?? null));
  return { ...askedOf(outcome), cells };
}

/** The row without why checks failed: a hidden check's reason quotes what it looks for. */
export const withoutReasons = (row: GridRow): GridRow => ({
  ...row,
  cells: row.cells.map((cell) => ({ ...cell, failed: cell.failed.map(({ check }) => ({ check, why: null })) })),
});

/** Checks that a cell names, and values that a row has. */
const NAMED = 12;
const NAME_CHARS = 64;

/** Characters that say why one check failed, and how an arm ended. */
const WHY_CHARS = 240;

/** Characters of one value, or of the prompt. */
const VALUE_CHARS = 600;

function cellOf(arm: ArmSummary, { definition }: Ended, score: number | null): Cell {
  const failed = (arm.probe?.checks ?? []).filter(isMissed).map((check) => ({ check: check.id, why: whyOf(check) }));
  const work = workOf(arm, definition.task.answer === true);
  const ended = howItEnded(arm);
  return fitted((chars) => {
    const least = Math.min(chars, WHY_CHARS);
    const isCut =
      failed.length > NAMED || (work?.text.length ?? 0) > chars || failed.some(({ why }) => why.length > least);
    return {
      arm_id: arm.arm_id,
      ...(work && { [work.kind]: start(work.text, chars) }),
      ...(isCut && { cut: true as const }),
      ...(ended !== null && { ended: start(ended, least) }),
      failed: failed.slice(0, NAMED).map(({ check, why }) => ({ check, why: start(why, least) })),
      ...{ score, cost_usd: arm.cost_usd },
    };
  });
}

/** The answer where it is asked for, or nothing else is there. */
function workOf(
  arm: ArmSummary,
  isAsked: boolean,
): { readonly kind: "answer" | "change"; readonly text: string } | null {
  const answer = wholeAnswer(arm);
  const patch = arm.changes?.patch ?? "";
  if (patch !== "" && !(isAsked && answer !== null)) return { kind: "change", text: patch };
  return answer === null ? null : { kind: "answer", text: answer };
}

/** What a command printed says more than its exit code. */
function whyOf({ could_not_run, reason, output, why }: CheckResult): string {
  if (why !== undefined) return whyText({ could_not_run, reason, why });
  const [first = "", second = ""] = failureLines(output).map((line) => line.trim());
  return [could_not_run ?? reason ?? "", first, second].filter((part) => part !== "").join(": ");
}

function howItEnded(arm: ArmSummary): string | null {
  const { status, violations, error } = arm;
  const told = endText(arm);
  if (told === "finished") return null;
  const why = status === "disqualified" ? whyDisqualified(violations).join(" and ") : error;
  return why ? `${told}: ${why}` : told;
}

function askedOf({ definition: { input, task, arms } }: Ended): Pick<TrialWork, "values" | "asked"> {
  if (input === undefined) return fitted((chars) => ({ asked: start(task.prompt, Math.min(chars, VALUE_CHARS)) }));
  const said = [...saidTo(task, arms), ...arms.map(({ system_prompt }) => ({ text: system_prompt }))];
  const hidden = soughtIn(task);
  const shown = Object.entries(input.values)
    .map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)] as const)
    .filter(([, value]) => said.some(({ text }) => text.includes(value)) && !hidden.some(looksFor(value)));
  return fitted((chars) => ({
    values: Object.fromEntries(
      shown
        .slice(0, NAMED)
        .map(
          ([name, value]) =>
            [start(name, Math.min(chars, NAME_CHARS)), start(value, Math.min(chars, VALUE_CHARS))] as const,
        ),
    ),
  }));
}

/** What hidden checks look for in an answer, and the answer that a judge compares with. */
const soughtIn = ({ probe, reference_answer }: Task): readonly string[] => [
  ...(probe?.checks ?? []).flatMap(({ answer_contains = [], answer_lacks = [], answer_matches = "" }) => [
    ...[...answer_contains, ...answer_lacks, answer_matches],
  ]),
  reference_answer?.text ?? "",
];

/** A shorter value is in many texts by chance. */
const TELLING_CHARS = 4;

const looksFor = (value: string) => (text: string) =>
  text === value || (value.length >= TELLING_CHARS && text.includes(value));

const start = (text: string, chars: number): string => text.slice(0, chars).toWellFormed();

/** The value whose texts are longest among those that fit. */
function fitted<T>(make: (chars: number) => T): T {
  for (let chars = CELL_BYTES; ; chars = Math.floor(chars * 0.8)) {
    const value = make(chars);
    if (chars === 0 || new TextEncoder().encode(JSON.stringify(value)).length <= CELL_BYTES) return value;
  }
}
