import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { memberName } from "../../../domain/member.ts";
import type { Series } from "../../../domain/series.ts";
import type { SeriesTrial } from "../../../domain/series-trial.ts";
import type { Side } from "../../../domain/verdict.ts";
import { rangedRateText, solvedWord } from "../../../statistics/figure-text.ts";
import { aheadWords } from "../../../statistics/series-words.ts";
import { count } from "../format.ts";
import { ArmName } from "../part/arm-name.tsx";
import { Scroller } from "../part/page.tsx";
import { Say } from "../part/say.tsx";
import { RangeBar } from "./range-bar.tsx";
import { ScenarioLink, StatusName } from "./status-name.tsx";
import {
  aheadIn,
  missingTrials,
  missingWords,
  type ScenarioRow,
  type SuiteOrder,
  type SuiteSort,
  sortedRows,
  wonIn,
} from "./suite-rows.ts";
import { DRAWN, Legend, pointText, ScenarioStrip } from "./trial-strip.tsx";
import { trialSentence } from "./trial-text.ts";

interface SuiteTableProps {
  readonly series: Series;
  /** Sessions that the reader came from. */
  readonly current?: readonly string[];
}

/** What each scenario of a suite gave, trial by trial; each trial leads to its session. */
export function SuiteTable({ series, current = [] }: SuiteTableProps) {
  const order = useSignal<SuiteOrder>({ by: "plan", descending: false });
  const told = useSignal<string | null>(null);
  const { scenarios, levels, trials } = series;
  const arms = { a: series.arms.a.arm_id, b: series.arms.b.arm_id };
  const latest = Math.max(1, Math.floor(DRAWN / scenarios.length));
  const trialsOf = Map.groupBy(trials, memberName);
  const isCut = [...trialsOf.values()].some((own) => own.length > latest);
  const columns = columnsOf(series, arms);
  const claims = scenarios.some(({ conclusion }) => conclusion !== "undecided");
  return (
    <>
      <p>
        <Say words={aheadWords(aheadIn(scenarios.map(wonIn)), arms)} />
      </p>
      <Scroller kind="scroller" label="Results by scenario">
        <table class="by-scenario folded">
          <thead>
            <tr>
              <Head order={order} by="scenario" name="Scenario" />
              <th scope="col">Trials</th>
              {columns.map(({ by, name, kind }) => (
                <Head key={by} {...{ order, by, name, kind }} descends />
              ))}
              {claims && <th scope="col">Its own claim</th>}
            </tr>
          </thead>
          <tbody>
            {sortedRows(scenarios, order.value).map((row) => (
              <tr key={memberName(row)}>
                <th scope="row">
                  <ScenarioLink series={series} member={row} />
                </th>
                <td class="strip-cell said">
                  <ScenarioStrip
                    scenario={memberName(row)}
                    trials={(trialsOf.get(memberName(row)) ?? []).slice(-latest)}
                    text={(trial: SeriesTrial) => trialSentence(trial, arms, levels.alpha)}
                    tell={(trial) => (told.value = trial)}
                    current={current}
                  />
                </td>
                {columns.map(({ by, cell, kind, says }) => (
                  <td key={by} class={kind} data-head={says}>
                    {cell(row)}
                  </td>
                ))}
                {claims && (
                  <td data-head="Its own claim">
                    {row.conclusion === "undecided" ? (
                      "none"
                    ) : (
                      <StatusName conclusion={row.conclusion} state="completed" arms={arms} />
                    )}
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroller>
      <p class="small-print strip-told" aria-hidden="true">
        {told.value ?? pointText(series)}
      </p>
      <Legend trials={trials} arms={arms} />
      <p class="small-print">
        {isCut && `Of each scenario the latest ${count(latest)} trials are drawn. `}
        Every scenario counts the same.{" "}
        {claims ? "A row makes a claim of its own only at" : "No row makes a claim of its own: it takes"} a higher bar,
        because with many rows some would cross the usual one by chance.
      </p>
    </>
  );
}

interface Column {
  readonly by: SuiteSort;
  readonly name: ComponentChildren;
  readonly kind: string;
  /** Its name where a narrow row has no heads; none: the cell says it. */
  readonly says?: string;
  readonly cell: (row: ScenarioRow) => ComponentChildren;
}

type Names = Readonly<Record<Side, string>>;

/** Columns of which no row knows anything are left out. */
function columnsOf({ scenarios, levels, imported }: Series, arms: Names): readonly Column[] {
  const figure = (by: SuiteSort, name: ComponentChildren, says: string, cell: Column["cell"]): Column => ({
    ...{ by, name, says, cell },
    kind: "number",
  });
  const solved = solvedWord({ imported });
  const solvedBy = (side: Side) =>
    figure(`solved_${side}`, <ArmName side={side} name={solved} />, `${side.toUpperCase()} ${solved}`, (row) => {
      const own = row.solved[side];
      return own === null ? "–" : `${own.solved} of ${own.trials}`;
    });
  const columns: readonly Column[] = [
    figure("a", <ArmName side="a" name="won" />, "A won", ({ counts }) => counts.wins),
    figure("none", "No winner", "No winner", ({ counts }) => counts.ties),
    figure("b", <ArmName side="b" name="won" />, "B won", ({ counts }) => counts.losses),
    figure("missing", "Missing", "Missing", ({ counts }) => <Missing counts={counts} />),
    figure("held", "Not counted", "Not counted", ({ counts }) => counts.held),
    {
      by: "rate",
      name: `Win rate of ${arms.a}`,
      kind: "range-cell",
      cell: ({ headline, conclusion }) => (
        <>
          <RangeBar {...headline} conclusion={conclusion} margin={levels.margin} />
          {rangedRateText(headline)}
        </>
      ),
    },
    solvedBy("a"),
    solvedBy("b"),
  ];
  const known: Partial<Record<SuiteSort, boolean>> = {
    missing: scenarios.some(({ counts }) => missingTrials(counts) > 0),
    held: scenarios.some(({ counts }) => counts.held > 0),
    solved_a: scenarios.some((row) => row.solved.a !== null),
    solved_b: scenarios.some((row) => row.solved.b !== null),
  };
  return columns.filter(({ by }) => known[by] ?? true);
}

function Missing({ counts }: Pick<ScenarioRow, "counts">) {
  const missing = missingTrials(counts);
  return (
    <>
      {missing}
      {missing > 0 && <small class="aside">{missingWords(counts)}</small>}
    </>
  );
}

interface HeadProps {
  readonly order: Signal<SuiteOrder>;
  readonly by: SuiteSort;
  readonly name: ComponentChildren;
  readonly kind?: string;
  /** Its first order. */
  readonly descends?: boolean;
}

function Head({ order, by, name, kind, descends = false }: HeadProps) {
  const { descending } = order.value;
  const isSorted = order.value.by === by;
  const sort = () => {
    order.value = { by, descending: isSorted ? !descending : descends };
  };
  return (
    <th scope="col" class={kind} aria-sort={isSorted ? (descending ? "descending" : "ascending") : undefined}>
      <button type="button" class="sort" onClick={sort}>
        {name}
        <span aria-hidden="true">{isSorted ? (descending ? " ↓" : " ↑") : ""}</span>
      </button>
    </th>
  );
}
