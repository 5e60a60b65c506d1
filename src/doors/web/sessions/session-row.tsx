import { isBuiltin, judgesNamed } from "../../../domain/model-name.ts";
import type { SessionListing } from "../../../domain/session-list.ts";
import { isFinal } from "../../../domain/session-state.ts";
import type { Side } from "../../../domain/verdict.ts";
import { duration, score, usd, words } from "../format.ts";
import { Ago } from "../part/ago.tsx";
import { ARM_SIDES, ArmMark, ArmName } from "../part/arm-name.tsx";
import { CaveatChips } from "../part/caveats.tsx";
import { blind } from "../preferences.ts";
import { toSeries, toSession } from "../routes.ts";
import { ConfidenceName, outcomeText } from "../verdict/outcome.tsx";
import { isPicked, toggle } from "./picked.ts";

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
  const {
    session_id,
    scenario,
    title = scenario,
    created_at,
    arms,
    judge_model,
    cost_usd = null,
    wall_ms = null,
    user,
  } = row;
  return (
    <tr {...place} class="session" data-stop tabIndex={-1}>
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
      <td class="session-scenario" title={title}>
        <bdi>{scenario}</bdi>
        {title !== scenario && (
          <bdi class="aside" dir="auto">
            {" "}
            {title}
          </bdi>
        )}
      </td>
      <td class="session-arms">
        {arms.map((_, side) => (
          <PickableArm key={side} row={row} index={side} />
        ))}
      </td>
      <td class="session-result">
        <Result row={row} />
      </td>
      <Pair
        kind="session-score"
        row={row}
        of={({ score: value }) => (typeof value === "number" ? score(value) : null)}
      />
      <Pair kind="session-checks" row={row} of={({ checks }) => (checks ? `${checks.passed}/${checks.total}` : null)} />
      <td class="session-judge" title={judge_model ? judgesNamed(judge_model).join(", ") : undefined}>
        {judge_model === null ? (
          ""
        ) : isBuiltin(judge_model) ? (
          <span class="aside">no model</span>
        ) : (
          <JudgeNames name={judge_model} />
        )}
      </td>
      <td class="session-cost">{cost_usd === null ? <Unknown /> : cost_usd === 0 ? "free" : usd(cost_usd)}</td>
      <td class="session-time">{wall_ms === null ? <Unknown /> : duration(wall_ms)}</td>
    </tr>
  );
}

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
          {verdicts > 1 && !conflict && <Badge text={`${verdicts} verdicts`} says="on its arms" />}
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

function Badge({ text, says }: { text: string; says: string }) {
  return (
    <span class="badge" title={says}>
      {text}
      <span class="hidden-text"> {says}</span>
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
