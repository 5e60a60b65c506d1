import { computed, type Signal, useSignal } from "@preact/signals";
import type { VirtualItem } from "@tanstack/virtual-core";
import { useMemo, useRef } from "preact/hooks";
import { memberWord } from "../../../domain/member.ts";
import type { Series } from "../../../domain/series.ts";
import type { Side } from "../../../domain/verdict.ts";
import { solvedWord } from "../../../statistics/figure-text.ts";
import { aheadWords } from "../../../statistics/series-words.ts";
import { HELD_TEXT, kindOf, TRIAL_MARKS } from "../../../statistics/trial-kind.ts";
import { count, countOf } from "../format.ts";
import { ARM_SIDES, ArmName } from "../part/arm-name.tsx";
import { SelectField } from "../part/fields.tsx";
import { Say } from "../part/say.tsx";
import { narrowerThan, useWindowRows } from "../part/use-window-rows.ts";
import { toSession } from "../routes.ts";
import { type MemberLine, type MemberOrder, type MemberRow, type Members, memberLines, memberRows } from "./members.ts";
import { ScenarioLink } from "./status-name.tsx";
import { aheadIn } from "./suite-rows.ts";
import { trialSentence } from "./trial-text.ts";

/** As `series.css` has it: a narrow row has two lines. */
const isNarrow = narrowerThan("48rem");
const rowHeight = computed(() => (isNarrow.value ? 60 : 34));

interface MemberTableProps {
  readonly series: Series;
  readonly members: Members;
  /** Sessions that the reader came from. */
  readonly current?: readonly string[];
  /** The column by which they are grouped; null: by none. */
  readonly by: string | null;
  /** Shows only the rows in which this failed; empty: all. */
  readonly only: Signal<string>;
}

const ORDERS: readonly (readonly [MemberOrder, string])[] = [
  ["differs", "what differs first"],
  ["plan", "as planned"],
  ["missing", "missing trials first"],
];

/** Any number of rows, of which those in sight are drawn. Each leads to its newest session. */
export function MemberTable({ series, members, current = [], by, only }: MemberTableProps) {
  const { columns = [], arms, counts } = series;
  const what = memberWord(series.scenarios);
  const order = useSignal<MemberOrder>("differs");
  const failed = members.failed.slice(0, FILTERS);
  const rows = useMemo(() => memberRows(members), [members]);
  const hasChecks = rows.some(({ row }) => row.checks.length > 0);
  const lines = useMemo(() => {
    const chosen = failed.find(({ what }) => what === only.value) ?? null;
    return memberLines(rows, columns, { order: order.value, by, only: chosen });
  }, [rows, columns, order.value, by, only.value]);
  const list = useRef<HTMLTableSectionElement>(null);
  const height = rowHeight.value;
  const drawn = useWindowRows({ count: lines.length, height, list });
  const shown = lines.filter(({ kind }) => kind === "row").length;
  const names = { a: arms.a.arm_id, b: arms.b.arm_id };
  return (
    <>
      <p>
        <Say
          words={aheadWords(
            aheadIn(rows.map(({ won }) => won)),
            names,
            members.unread > 0 ? `${what}s read so far` : `${what}s`,
          )}
        />
      </p>
      {counts.held > 0 && (
        <p class="small-print">
          {countOf(counts.held, "trial")} {counts.held === 1 ? "is" : "are"} {HELD_TEXT}. The table has them; the win
          rate does not.
        </p>
      )}
      <search class="session-filters member-filters">
        <SelectField label="Order" value={order.value} choices={ORDERS} pick={(name) => (order.value = name)} />
        {failed.length > 0 && (
          <SelectField
            label="Show"
            value={only.value}
            pick={(name) => (only.value = name)}
            choices={[["", `every ${what}`], ...failed.map(({ what }) => failedChoice(what))]}
          />
        )}
      </search>
      <p class="small-print" role="status">
        {countOf(shown, what)}
        {by !== null && `, grouped by ${by}`}
        {members.unread > 0 && `; reading ${count(members.unread)} more …`}
      </p>
      <table class={`placed-rows member-table${hasChecks ? "" : " no-checks"}`} aria-rowcount={lines.length + 1}>
        <thead>
          <tr>
            <th scope="col">{what === "row" ? "Row" : "Scenario"}</th>
            <th scope="col">Latest</th>
            {ARM_SIDES.map((side) => (
              <th key={side} scope="col">
                <ArmName side={side} name="won" />
              </th>
            ))}
            <th scope="col">No winner</th>
            {ARM_SIDES.map((side) => (
              <th key={side} scope="col">
                <ArmName side={side} name={solvedWord(series)} />
              </th>
            ))}
            {hasChecks && <th scope="col">Failed checks</th>}
          </tr>
        </thead>
        <tbody ref={list} style={{ height: `${lines.length * height}px` }}>
          {drawn.map((item) => {
            const line = lines[item.index];
            return (
              line && (
                <Line
                  key={keyOf(line)}
                  {...{ line, item, series, current }}
                  top={item.start - startOf(drawn, height)}
                />
              )
            );
          })}
        </tbody>
      </table>
    </>
  );
}

/** What failed is offered as a filter; more kinds are in the reports. */
const FILTERS = 30;

const failedChoice = (what: string) => [what, `failed: ${what.length > 60 ? `${what.slice(0, 59)}…` : what}`] as const;

const keyOf = (line: MemberLine) => (line.kind === "group" ? `group ${line.value}` : line.name);

/** Where the list begins on the page, pixels. */
const startOf = ([first]: readonly VirtualItem[], height: number) => (first ? first.start - first.index * height : 0);

interface LineProps extends Required<Pick<MemberTableProps, "series" | "current">> {
  readonly line: MemberLine;
  readonly item: VirtualItem;
  /** Pixels from the first line's. */
  readonly top: number;
}

function Line({ line, item, top, series, current }: LineProps) {
  const place = { "aria-rowindex": item.index + 2, style: { transform: `translateY(${top}px)` } };
  if (line.kind === "group")
    return (
      <tr {...place} class="member-group">
        <th scope="rowgroup">{line.value}</th>
        <td>{countOf(line.rows, memberWord(series.scenarios))}</td>
        <Figures solved={solvedWord(series)} figures={[line.won.a, line.won.b, line.won.none]} />
      </tr>
    );
  const { name, row, trials, won } = line;
  const { solved, checks } = row;
  return (
    <tr {...place} data-stop tabIndex={-1}>
      <th scope="row" title={name}>
        <Name series={series} line={line} />
      </th>
      <td>
        <Latest trials={trials} series={series} current={current} />
      </td>
      <Figures
        solved={solvedWord(series)}
        figures={[won.a, won.b, won.none, solvedText(solved.a), solvedText(solved.b)]}
      />
      <td class="member-failed">
        {ARM_SIDES.map((side) => (
          <FailedChecks key={side} side={side} checks={checks} />
        ))}
      </td>
    </tr>
  );
}

/** A narrow row has no heads, so each figure says there what it is. */
const Figures = ({ figures, solved }: { figures: readonly (string | number)[]; solved: string }) =>
  figures.map((figure, index) => (
    <td key={index} class="number" data-says={["A won", "B won", "none", `A ${solved}`, `B ${solved}`][index]}>
      {figure}
    </td>
  ));

const solvedText = (solved: MemberRow["row"]["solved"]["a"]) =>
  solved === null ? "–" : `${solved.solved}/${solved.trials}`;

/** Leads to the newest session; imported results have none. */
function Name({ series, line: { row, trials } }: { series: Series; line: MemberRow }) {
  const session_id = trials.at(-1)?.session_id;
  if (session_id === undefined) return <ScenarioLink series={series} member={row} />;
  return (
    <a href={toSession(session_id)}>
      {/* The title of the page names a scenario whose rows these are. */}
      <bdi>{row.input ?? row.scenario}</bdi>
    </a>
  );
}

function Latest({ trials, series, current }: Pick<MemberRow, "trials"> & Pick<LineProps, "series" | "current">) {
  const trial = trials.at(-1);
  if (!trial) return <span class="aside">not run yet</span>;
  const { arms, levels } = series;
  // Its sentence says when it does not count.
  const kind = kindOf({ ...trial, counted: true });
  const here = current.includes(trial.session_id ?? "");
  return (
    <span
      role="img"
      class={`trial trial-${kind}${here ? " trial-here" : ""}`}
      title={trialSentence(trial, { a: arms.a.arm_id, b: arms.b.arm_id }, levels.alpha)}
      aria-label={trialSentence(trial, { a: arms.a.arm_id, b: arms.b.arm_id }, levels.alpha)}
    >
      {TRIAL_MARKS[kind]}
    </span>
  );
}

function FailedChecks({ side, checks }: { side: Side; checks: MemberRow["row"]["checks"] }) {
  const failed = checks.filter(({ [side]: count }) => count !== null && count.passed < count.trials);
  if (failed.length === 0) return null;
  const text = failed.map(({ id }) => id).join(", ");
  return (
    <span title={text}>
      <ArmName side={side} name={text} />
    </span>
  );
}
