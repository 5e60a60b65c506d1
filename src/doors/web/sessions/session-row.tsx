import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { columnsWith, type FigureField } from "../../../domain/listed-columns.ts";
import { isBuiltin, judgesNamed } from "../../../domain/model-name.ts";
import type { SessionListing } from "../../../domain/session-list.ts";
import { isFinal } from "../../../domain/session-state.ts";
import type { ArmPointer, Side } from "../../../domain/verdict.ts";
import { samePointer } from "../evidence/shown-arm.ts";
import { count, duration, score, usd, words } from "../format.ts";
import { Ago } from "../part/ago.tsx";
import { ARM_SIDES, ArmMark, ArmName } from "../part/arm-name.tsx";
import { CaveatChips } from "../part/caveats.tsx";
import { blind } from "../preferences.ts";
import { toSeries, toSession } from "../routes.ts";
import { ConfidenceName, outcomeText } from "../verdict/outcome.tsx";

interface SessionRowProps {
  /** Undefined until it is read. */
  readonly row: SessionListing | undefined;
  readonly index: number;
  /** Pixels from the first row's. */
  readonly top: number;
}

export function SessionRow({ row, index, top }: SessionRowProps) {
  const place = { "aria-rowindex": index + 2, style: { transform: `translateY(${top}px)` } };
  if (!row)
    return (
      <tr {...place}>
        <td class="unread">Reading …</td>
      </tr>
    );
  return (
    <tr {...place} class="session" data-stop tabIndex={-1}>
      {columnsWith("head").map(([name, { figure }]) => {
        const Cell = CELLS[name];
        if (Cell) return <Cell key={name} row={row} />;
        return (
          <td key={name} class="session-figure">
            {figure && figureText(row[figure.field as FigureField] ?? null, figure.unit)}
          </td>
        );
      })}
    </tr>
  );
}

/** Columns that show more than a figure. */
const CELLS: Readonly<Record<string, (props: { readonly row: SessionListing }) => JSX.Element>> = {
  created: ({ row: { session_id, created_at, user } }) => (
    <td class="session-created">
      <a href={toSession(session_id)} title={session_id}>
        <Ago iso={created_at} />
        <span class="hidden-text"> {session_id}</span>
      </a>
      {user !== undefined && (
        <bdi class="aside" title={user}>
          {" "}
          {user}
        </bdi>
      )}
    </td>
  ),
  scenario: ({ row: { scenario, title = scenario } }) => (
    <td class="session-scenario" title={title}>
      <bdi>{scenario}</bdi>
      {title !== scenario && (
        <bdi class="aside" dir="auto">
          {" "}
          {title}
        </bdi>
      )}
    </td>
  ),
  arms: ({ row }) => (
    <td class="session-arms">
      {row.arms.map((_, side) => (
        <PickableArm key={side} row={row} index={side} />
      ))}
    </td>
  ),
  result: ({ row }) => (
    <td class="session-result">
      <Result row={row} />
    </td>
  ),
  gap: ({ row }) => (
    <Pair kind="session-score" row={row} of={({ score: value }) => (typeof value === "number" ? score(value) : null)} />
  ),
  checks: ({ row }) => (
    <Pair kind="session-checks" row={row} of={({ checks }) => (checks ? `${checks.passed}/${checks.total}` : null)} />
  ),
  judge: ({ row: { judge_model } }) => (
    <td class="session-judge" title={judge_model ? judgesNamed(judge_model).join(", ") : undefined}>
      {judge_model === null ? (
        ""
      ) : isBuiltin(judge_model) ? (
        <span class="aside">no model</span>
      ) : (
        <JudgeNames name={judge_model} />
      )}
    </td>
  ),
};

const UNITS = { usd: (value: number) => (value === 0 ? "free" : usd(value)), ms: duration, count };

const figureText = (value: number | null, unit: keyof typeof UNITS) =>
  value === null ? <Unknown /> : UNITS[unit](value);

function JudgeNames({ name }: { name: string }) {
  const judges = judgesNamed(name);
  if (judges.length > 1) return <bdi>panel of {judges.length}</bdi>;
  const provider = name.slice(0, name.indexOf("/") + 1);
  return (
    <>
      <bdi>{name.slice(provider.length)}</bdi>
      <bdi class="aside">{provider.slice(0, -1)}</bdi>
    </>
  );
}

const Unknown = () => (
  <span class="aside">
    <span aria-hidden="true">–</span>
    <span class="hidden-text">unknown</span>
  </span>
);

interface PairProps {
  readonly kind: string;
  readonly row: SessionListing;
  readonly of: (arm: SessionListing["arms"][number]) => string | null;
}

/** A figure of each arm. They tell which arm won, so a blind reader does not see them. */
function Pair({ kind, row: { arms }, of }: PairProps) {
  const figures = blind.value ? [] : arms.map(of);
  if (figures.every((figure) => figure === null))
    return (
      <td class={kind}>
        <Unknown />
      </td>
    );
  return (
    <td class={kind}>
      {figures.map((figure, index) => (
        <span key={index} class={`side-${ARM_SIDES[index] ?? "b"} side-figure`}>
          <span class="hidden-text">{ARM_SIDES[index]?.toUpperCase()} </span>
          {figure ?? "–"}
        </span>
      ))}
    </td>
  );
}

function Result({ row }: { row: SessionListing }) {
  const { session_id, outcome, winner, arms, state, confidence, trial, conflict, verdicts = 0, flags } = row;
  const side = ARM_SIDES[arms.findIndex(({ arm_id }) => arm_id === winner)] ?? null;
  const isTold = outcome !== null && !blind.value;
  return (
    <>
      <span class="session-line">
        {outcome === null && <span class={`state state-${state}`}>{words(state)}</span>}
        {outcome !== null && blind.value && <span class="aside">hidden</span>}
        {isTold && <Outcome outcome={outcome} side={side} name={winner} />}
        {isTold && confidence && confidence !== "none" && <ConfidenceName confidence={confidence} />}
        {trial && (
          <a class="aside" href={toSeries(trial.series_id)} title={trial.series_id}>
            trial {trial.trial}
          </a>
        )}
      </span>
      {isTold && (
        <span class="session-line">
          <CaveatChips flags={flags} conflict={conflict} rest={toSession(session_id)} />
          {verdicts > 1 && !conflict && (
            <span class="badge" title="on its arms">
              {verdicts} verdicts<span class="hidden-text"> on its arms</span>
            </span>
          )}
        </span>
      )}
    </>
  );
}

/** The arm is named beside an outcome. */
function Outcome({ outcome, side, name }: { outcome: string; side: Side | null; name: string | null }) {
  if (side === null || name === null) return <span class="outcome">{outcomeText(outcome)}</span>;
  return (
    <span class="outcome">
      <ArmMark side={side} />
      <span class="hidden-text">{name}</span> won
    </span>
  );
}

function PickableArm({ row, index }: { row: SessionListing; index: number }) {
  const arm = row.arms[index];
  if (!arm) return null;
  const side = ARM_SIDES[index] ?? "b";
  const pointer = { session_id: row.session_id, arm_id: arm.arm_id };
  const ended = isFinal(row.state);
  const says = blind.value ? undefined : `${arm.arm_id}, ${arm.model}, ${words(arm.status)}`;
  return (
    <label class="pick" title={[says, !ended && "its run goes on"].filter(Boolean).join(": ")}>
      <input type="checkbox" checked={isPicked(pointer)} disabled={!ended} onChange={() => toggle(pointer)} />
      <span class="hidden-text">Pick </span>
      {blind.value ? <ArmMark side={side} /> : <ArmName side={side} name={arm.arm_id} />}
      {blind.value && <span class="hidden-text">arm {side}</span>}
      {!blind.value && <code class="aside">{arm.model}</code>}
    </label>
  );
}

/** Arms that were picked for comparison: two at most, in the order in which they were picked. The first becomes arm A. */
export const picked = signal<readonly ArmPointer[]>([]);

const isPicked = (arm: ArmPointer) => picked.value.some((each) => samePointer(each, arm));

function toggle(arm: ArmPointer): void {
  const others = picked.value.filter((each) => !samePointer(each, arm));
  picked.value = others.length < picked.value.length ? others : [...picked.value, arm].slice(-2);
}
