import { isMissed, isSameResult, resultWord } from "../../domain/check-result.ts";
import type { Decision } from "../../domain/decision.ts";
import { kindNamed } from "../../domain/decision-kinds.ts";
import type { CheckResult } from "../../domain/evidence.ts";
import { excerpt } from "../../domain/excerpt.ts";
import { counted, durationText } from "../../domain/number-text.ts";
import { commonSteps, type TimedStep, timeAxis } from "../../domain/timeline.ts";
import { SIDES, type Side } from "../../domain/verdict.ts";
import { decidedText } from "../../domain/verdict-text.ts";
import { Html, html, htmlPage, htmlTable } from "./html.ts";
import { distinctNames, howItEnded, type Reported, reportedHeadline, sessionsOf } from "./reported.ts";

/** Milliseconds that a duel plays, however long the arms ran. */
const SHORTEST_MS = 6_000;
const LONGEST_MS = 45_000;

/** Steps of an arm that are shown, first and last, and characters of each; the session has all. */
const SHOWN_STEPS = 300;
const STEP_CHARS = 300;

/** Checks that tell the arms apart. */
const SHOWN_CHECKS = 20;

/**
 * Two arms beside each other on one clock, from where they part to what decided. The page runs no script: the browser plays
 * it by its style sheet, and shows all of it where it does not play.
 */
export function duelHtml(reported: Reported): string {
  const { a, b } = reported;
  const logs = { a: logOf(reported, "a"), b: logOf(reported, "b") };
  const common = commonSteps(logs.a, logs.b);
  const { steps } = timeAxis(logs, a.session.session_id === b.session.session_id);
  const parted = steps.filter(({ decision }) => decision.seq > common);
  const play = playOf(parted, common);
  const names = distinctNames(reported);
  const lane = (
    side: Side,
  ) => html`<section class="lane lane-${side}" tabindex="0" aria-label="Steps of arm ${side}"><div>
<h2 class="${side}">${side.toUpperCase()} ${names[side]}</h2><ol>${stepsIn(
    parted.filter((step) => step.side === side),
    play,
  )}</ol></div></section>`;
  const body = html`<h1>${a.session.definition.title}</h1>
<p class="soft">${play.told} Tick Play to watch; until then everything is shown.</p>
<input type="checkbox" id="play"><label for="play">Play</label>
<input type="checkbox" id="pause"><label for="pause">Pause</label>
${sameIn(logs.a.slice(0, common))}
<div class="duel">${SIDES.map(lane)}</div>
<div class="end" style="animation-delay:${play.length_ms}ms">${decided(reported, names)}</div>`;
  return htmlPage(`${a.session.definition.title} · duel · abeval`, body, STYLE);
}

const logOf = (reported: Reported, side: Side): readonly Decision[] => {
  const { session, arm } = reported[side];
  return session.decisions[arm.arm_id] ?? [];
};

interface Play {
  readonly told: string;
  readonly length_ms: number;
  /** When a step comes, milliseconds. */
  readonly moment: (step: TimedStep) => number;
  readonly isTimed: boolean;
}

/** By the clock of the run; by the order of the steps where times do not tell them apart. */
function playOf(parted: readonly TimedStep[], common: number): Play {
  const [first, last] = [parted[0], parted.at(-1)];
  if (!first || !last) return { told: "Both did the same.", length_ms: 0, moment: () => 0, isTimed: false };
  const span = last.end_ms - first.end_ms;
  const length_ms = Math.min(Math.max(span, SHORTEST_MS), LONGEST_MS);
  if (span === 0)
    return {
      told: "The recorded times do not tell these steps apart; they play in their order.",
      length_ms,
      moment: ({ decision }) => Math.round(((decision.seq - common) / (last.decision.seq - common)) * length_ms),
      isTimed: false,
    };
  return {
    told: `From where they part, ${durationText(span)} of the run play in ${durationText(length_ms)}.`,
    length_ms,
    moment: ({ end_ms }) => Math.round(((end_ms - first.end_ms) / span) * length_ms),
    isTimed: true,
  };
}

function sameIn(common: readonly Decision[]): Html | null {
  if (common.length === 0) return null;
  return html`<details><summary>Same start in both: ${counted(common.length, "step")}</summary><ol>${shown(common).map(
    (decision) => (typeof decision === "number" ? leftOut(decision) : html`<li>${stepText(decision)}</li>`),
  )}</ol></details>`;
}

function stepsIn(steps: readonly TimedStep[], { moment, isTimed }: Play): Html[] {
  return shown(steps).map((step) =>
    typeof step === "number"
      ? leftOut(step)
      : html`<li style="animation-delay:${moment(step)}ms">${isTimed ? html`<span class="soft">${durationText(step.end_ms)}</span> ` : null}${stepText(step.decision)}</li>`,
  );
}

const leftOut = (steps: number) => html`<li class="soft">${counted(steps, "step")} left out</li>`;

/** The first and the last of a long list, with the number of those between. */
function shown<Step extends object>(steps: readonly Step[]): readonly (Step | number)[] {
  if (steps.length <= SHOWN_STEPS) return steps;
  const half = SHOWN_STEPS / 2;
  return [...steps.slice(0, half), steps.length - SHOWN_STEPS, ...steps.slice(-half)];
}

function stepText({ kind, summary }: Decision): Html {
  const { name, shape } = kindNamed(kind);
  return html`<strong>${shape} ${name}</strong> <span dir="auto">${excerpt(summary, STEP_CHARS)}</span>`;
}

/** The checks that tell the arms apart, and what the verdict says. */
function decided(reported: Reported, names: Readonly<Record<Side, string>>): Html {
  const { verdict, a } = reported;
  const told = differing(reported);
  const checks = told.slice(0, SHOWN_CHECKS);
  return html`<h2>${told.length === 0 ? "No hidden check tells them apart" : "The hidden checks that tell them apart"}</h2>
${checks.length === 0 ? null : htmlTable(["Check", `A ${names.a}`, `B ${names.b}`], checks)}
${told.length > checks.length ? html`<p>${told.length - checks.length} more</p>` : null}
${
  verdict === null
    ? html`<p><strong>No verdict.</strong> The run: ${howItEnded(a.session)}.</p>`
    : html`<p><strong>${reportedHeadline(reported)}</strong> ${decidedText(verdict)}</p><p>${verdict.statement}</p>`
}<p class="soft">${sessionsOf(reported)
    .map(({ session_id }) => `Session ${session_id}`)
    .join(", ")}, abeval ${a.session.version}</p>`;
}

/** Required ones first. */
function differing({ a, b }: Reported): (string | Html)[][] {
  const others = new Map(b.arm.probe?.checks.map((check) => [check.id, check]));
  const told = (a.arm.probe?.checks ?? []).flatMap((one) => {
    const other = others.get(one.id);
    return other && (one.status !== other.status || !isSameResult(one, other)) ? [[one, other] as const] : [];
  });
  const mark = (check: CheckResult) =>
    html`<span class="${isMissed(check) ? "bad" : "good"}">${check.score === undefined ? check.status : resultWord(check)}</span>`;
  return told
    .toSorted(([one], [other]) => Number(other.required) - Number(one.required))
    .map(([one, other]) => [
      html`${one.id}${one.required ? html` <span class="soft">required</span>` : null}`,
      mark(one),
      mark(other),
    ]);
}

/** Playing, a lane is a window on its newest step: what lies in a reversed column stays at its end. */
const STYLE =
  new Html(`.duel{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:1rem;margin-top:1rem}ol{list-style:none;
margin:0;padding:0}li{padding:.25rem .5rem;border-left:3px solid var(--line)}.lane-a li{border-color:var(--a)}.lane-b li{border-color:var(--b)}h2{margin-top:.5rem}label{padding:.3rem .6rem .3rem .1rem}
@media screen{#play:checked~.duel .lane{display:flex;flex-direction:column-reverse;height:65vh;overflow-y:auto}#play:checked~.duel .lane>div{margin-bottom:auto}
#play:checked~.duel li,#play:checked~.end{animation:come .2s backwards}
#pause:checked~.duel li,#pause:checked~.end{animation-play-state:paused}}
@keyframes come{from{max-height:0;padding-block:0;overflow:hidden;opacity:0}}
@media print{#play,#pause,label{display:none}}@media (max-width:30rem){.duel{gap:.4rem;font-size:.85rem}li{padding:.25rem .2rem}}`);
