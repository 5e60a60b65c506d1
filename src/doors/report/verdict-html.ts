import { knownCost, knownTokens, leastText } from "../../domain/at-least.ts";
import { caveatsOf } from "../../domain/caveat.ts";
import { isMissed, resultWord, whyText } from "../../domain/check-result.ts";
import { whyDisqualified } from "../../domain/disqualification.ts";
import { endText } from "../../domain/end-text.ts";
import type { CheckResult } from "../../domain/evidence.ts";
import { excerpt } from "../../domain/excerpt.ts";
import { measureText } from "../../domain/measure-text.ts";
import { memberName } from "../../domain/member.ts";
import { counted, countText, durationText, momentText, usdText } from "../../domain/number-text.ts";
import type { ArmSummary } from "../../domain/session.ts";
import { sizeOf } from "../../domain/size-of.ts";
import { promptFor, type Task } from "../../domain/task.ts";
import { SIDES, type Side, type Verdict } from "../../domain/verdict.ts";
import { flagWords, toldFlags } from "../../domain/verdict-flags.ts";
import { decidedText, suspicionLines, unmetText } from "../../domain/verdict-text.ts";
import { verdictNotes } from "../../domain/verdict-words.ts";
import { wordsText } from "../../domain/words.ts";
import { foldedTable, type Html, html, htmlPage, htmlTable } from "./html.ts";
import {
  checksText,
  costTexts,
  howItEnded,
  isOwn,
  type Reported,
  type ReportedArm,
  reportedHeadline,
  sessionsOf,
  whyNoVerdict,
} from "./reported.ts";

/** `blind`: without names, models and verdict, for a reader who is to judge. `redacted`: figures alone, nothing that anybody wrote. */
export type Showing = "all" | "blind" | "redacted";

/** Characters of one text of an arm, head and tail; the whole stands in the session. */
const ANSWER_CHARS = 20_000;
const PATCH_CHARS = 100_000;
const OUTPUT_CHARS = 2_000;
const PROMPT_CHARS = 10_000;
/** Checks of an arm whose output is shown. */
const SHOWN_OUTPUTS = 50;

/** Two arms with their verdict as one page: it stands alone, and what arms and judge wrote is text in it. */
export function verdictHtml(reported: Reported, showing: Showing = "all"): string {
  const { verdict } = reported;
  const checks = showing === "redacted" ? null : checksOf(reported, showing);
  const isDeciding = verdict?.decided_by === "probe";
  const body = html`${head(reported, showing)}
${isDeciding ? checks : null}
${verdict && showing !== "blind" ? judged(verdict, showing) : null}
${isDeciding ? null : checks}
<h2>Both arms</h2>
${htmlTable(["", ...names(reported, showing)], armRows(reported, showing))}
${showing === "redacted" ? null : written(reported, showing)}
${foot(reported, showing)}`;
  return htmlPage(`${titleOf(reported, showing)} · abeval`, body);
}

/** What the page is about. A redacted page keeps the title back: the scenario's author wrote it. */
const subjectOf = ({ a: { session } }: Reported, showing: Showing): string =>
  memberName({
    scenario: showing === "redacted" ? session.scenario : session.definition.title,
    input: session.input?.id,
  });

function titleOf(reported: Reported, showing: Showing): string {
  if (showing === "blind") return "Which is better?";
  return `${wordsText(reportedHeadline(reported))}: ${subjectOf(reported, showing)}`;
}

const armsOf = ({ a, b }: Reported): readonly ReportedArm[] => [a, b];

const names = (reported: Reported, showing: Showing) =>
  armsOf(reported).map(({ arm }, index) => nameOf(showing === "blind" ? "" : arm.arm_id, index));

function nameOf(name: string, index: number): Html {
  const letter = (SIDES[index] ?? "b").toUpperCase();
  return html`<strong class="${SIDES[index] ?? "b"}">${letter}</strong> ${name}`;
}

function head(reported: Reported, showing: Showing): Html {
  const { verdict, a } = reported;
  if (showing === "blind")
    return html`<h1>${titleOf(reported, showing)}</h1><p>Names, models and verdict are left out, so that you can say which arm did better.</p>`;
  if (verdict === null)
    return html`<p class="soft">${subjectOf(reported, showing)}</p><h1>No verdict</h1><p>The run: ${howItEnded(a.session)}.</p>
${showing === "all" ? html`<pre dir="auto">${excerpt(whyNoVerdict(a.session), OUTPUT_CHARS)}</pre>` : null}
<p class="soft">${momentText(a.session.created_at)}</p>`;
  const caveats = caveatsOf(verdict.flags);
  return html`<p class="soft">${subjectOf(reported, showing)}</p>
<h1>${reportedHeadline(reported)} <small class="soft">${decidedText(verdict)}</small></h1>
${caveats.length > 0 ? html`<p>${caveats.map(({ text, isGrave }) => html`<span class="chip ${isGrave ? "bad" : ""}">${text}</span> `)}</p>` : null}
<p>${verdict.statement}</p><p class="soft">${originText(reported, verdict)}</p>`;
}

/** When the arms ran, and by whom they were judged. */
function originText(reported: Reported, { created_at, judge }: Verdict): string {
  const [first, second] = sessionsOf(reported).map((session) => momentText(session.created_at));
  if (isOwn(reported)) return `${first}, judge ${judge.model}`;
  const ran = second === undefined ? `Both arms ran ${first}` : `Arm A ran ${first}, arm B ${second}`;
  return `${ran}; judged again ${momentText(created_at)} by ${judge.model}`;
}

function judged(verdict: Verdict, showing: Showing): Html {
  const { criteria, arm_a, arm_b, flags, score_a, score_b, rationale, calls } = verdict;
  const all = showing === "all";
  const rows = criteria
    .filter(({ supported }) => supported)
    .map(({ id, weight, note, ...of }) => [
      all && note !== "" ? html`${id}<div class="soft" dir="auto">${plainMetric(note)}</div>` : id,
      String(weight),
      scoreBar(of.score_a, "a"),
      scoreBar(of.score_b, "b"),
    ]);
  const warnings = toldFlags(flags).map((flag) => html`<p>${flagWords(flag, verdict)}</p>`);
  const others = criteria.filter(({ supported }) => !supported).map(({ id }) => id);
  return html`<h2>Criteria</h2>
${foldedTable(
  ["Criterion", "Weight", nameOf(arm_a.arm_id, 0), nameOf(arm_b.arm_id, 1)],
  [...rows, ["Together", sumOf(criteria), scoreBar(score_a, "a"), scoreBar(score_b, "b")]],
)}
${others.length > 0 ? html`<p class="soft">Not scored: ${others.join(", ")}.</p>` : null}
${verdictNotes(verdict).map((line) => html`<p>${line}</p>`)}
${warnings.length === 0 ? null : html`<h2>Before you trust it</h2>${warnings}`}
${all ? suspicionLines(verdict).map((line) => html`<p class="bad">Suspected words of ${line}</p>`) : null}
${all && calls.length > 0 && rationale !== "" ? html`<h2>Reasons</h2><p dir="auto">${plainMetric(rationale)}</p>` : null}`;
}

const sumOf = (criteria: Verdict["criteria"]) =>
  String(Number(criteria.reduce((sum, { supported, weight }) => sum + (supported ? weight : 0), 0).toPrecision(6)));

const scoreBar = (score: number | null, side: Side): Html =>
  score === null
    ? html`not scored`
    : html`${score.toFixed(2)}<div class="bar score ${side}"><i style="left:0;width:${(score * 100).toFixed(1)}%"></i></div>`;

/** Figures of measured criteria: `changed_lines: 65 against 173` is `changed lines: 65 against 173`. */
const plainMetric = (note: string) => note.replace(/\b[a-z]+_[a-z_]+(?=: \S+ against \S)/g, measureText);

function armRows(reported: Reported, showing: Showing): (string | Html)[][] {
  const arms = armsOf(reported).map(({ arm }) => arm);
  const row = (name: string, cell: (arm: ArmSummary) => string | Html) => [name, ...arms.map(cell)];
  const tokens = (arm: ArmSummary, side: "tokens_in" | "tokens_out") =>
    leastText(knownTokens(arm, [side]), (value) => (value === null ? "unknown" : countText(value)));
  const why = (arm: ArmSummary) => whyDisqualified(arm.violations).join(" and ");
  const left = (arm: ArmSummary) => unmetText(arm).join(", ");
  return [
    ...(showing === "blind" ? [] : [row("model", ({ model }) => model)]),
    row("ended", endText),
    ...(showing === "all" && arms.some(why) ? [row("disqualified", (arm) => why(arm) || "no")] : []),
    ...(showing === "all" && arms.some(({ error }) => error) ? [row("error", ({ error }) => error ?? "none")] : []),
    ...(showing === "all" && arms.some(left) ? [row("required, not done", (arm) => left(arm) || "none")] : []),
    row("hidden checks", checksText),
    row("change", ({ changes }) => sizeText(changes)),
    row("turns, tool calls", ({ turns, tool_calls }) => `${turns}, ${tool_calls}`),
    row("tokens", (arm) => `${tokens(arm, "tokens_in")} in, ${tokens(arm, "tokens_out")} out`),
    row("cost", (arm) => leastText(knownCost(arm), usdText)),
    ...(arms.some(({ at_least }) => at_least) ? [row("not known", ({ at_least }) => at_least?.why ?? "")] : []),
    row("working time", ({ working_ms }) => durationText(working_ms)),
  ];
}

function sizeText(changes: ArmSummary["changes"]): string {
  const { changed_files, added, removed } = sizeOf(changes);
  return changed_files === null ? "unknown" : `${counted(changed_files, "file")}, +${added} −${removed}`;
}

/** What the task said and what the arms wrote. */
function written(reported: Reported, showing: Showing): Html {
  const named = names(reported, showing);
  const each = (part: (arm: ArmSummary) => Html | readonly Html[] | null) =>
    html`<div class="both">${armsOf(reported).map(({ arm }, index) => html`<div><h3>${named[index] ?? ""}</h3>${part(arm)}</div>`)}</div>`;
  return html`<h2>What the arms say</h2>
${each(answersOf)}
<h2>What they changed</h2>
${armsOf(reported).map(({ arm }, index) => html`<h3>${named[index] ?? ""}</h3>${patchOf(arm)}`)}
${asked(reported)}`;
}

function answersOf({ answers, final_answer }: ArmSummary): Html[] {
  const given = answers ?? (final_answer === null ? [] : [final_answer]);
  if (given.length === 0) return [html`<p class="soft">It gave no answer.</p>`];
  const title = (index: number) => (index === 0 ? null : html`<p class="soft">Answer to follow-up ${index}</p>`);
  return given.map((text, index) => html`${title(index)}<pre dir="auto">${excerpt(text, ANSWER_CHARS)}</pre>`);
}

/** The prompt or what was asked in its place, and the conversation around it. */
const saidText = (
  { messages = [], follow_ups = [], ...task }: Task,
  arm: { readonly id: string; readonly prompt?: string | undefined } | undefined,
): string =>
  [
    ...messages.map(({ role, text }) => `${role}, before: ${text}`),
    promptFor(task, arm),
    ...follow_ups.map((text, index) => `follow-up ${index + 1}: ${text}`),
  ].join("\n\n");

/** Between two sessions the task may have changed. */
function asked({ a, b }: Reported): Html {
  const said = ({ session: { definition }, arm }: Reported["a"]) =>
    saidText(
      definition.task,
      definition.arms.find(({ id }) => id === arm.arm_id),
    );
  const [one, other] = [said(a), said(b)];
  const prompt = (title: string, text: string) =>
    html`<h2>${title}</h2><pre dir="auto">${excerpt(text, PROMPT_CHARS)}</pre>`;
  if (one === other) return prompt("What both were asked", one);
  return html`${prompt("What arm A was asked", one)}${prompt("What arm B was asked", other)}`;
}

/** Every hidden check with the results of both arms, those that differ first. */
function checksOf(reported: Reported, showing: Showing): Html | null {
  const [one = [], other = []] = armsOf(reported).map(({ arm }) => arm.probe?.checks ?? []);
  const known = [...new Map([...other, ...one].map((check) => [check.id, check])).values()];
  if (known.length === 0) return null;
  const resultsOf = (id: string) => [one, other].map((checks) => checks.find((check) => check.id === id));
  const isApart = (id: string) => new Set(resultsOf(id).map((result) => result && resultWord(result))).size > 1;
  const rows = known
    .toSorted((first, second) => Number(isApart(second.id)) - Number(isApart(first.id)))
    .map(({ id, required }, index) => [
      html`${id}${required ? html` <span class="soft">required</span>` : null}`,
      ...resultsOf(id).map((result) => resultOf(result, index < SHOWN_OUTPUTS)),
    ]);
  return html`<h2>Hidden checks</h2>${htmlTable(["Check", ...names(reported, showing)], rows)}`;
}

function resultOf(result: CheckResult | undefined, hasOutput: boolean): Html {
  if (result === undefined) return html`–`;
  const { output } = result;
  const why = whyText(result);
  return html`<span class="${isMissed(result) ? "bad" : "good"}">${resultWord(result)}</span>${why === "" ? null : `: ${why}`}${
    hasOutput && output !== ""
      ? html`<details><summary>output</summary><pre>${excerpt(output, OUTPUT_CHARS)}</pre></details>`
      : null
  }`;
}

function patchOf({ changes }: ArmSummary): Html | null {
  if (changes === null || changes.patch === "") return html`<p class="soft">${sizeText(changes)}</p>`;
  const lines = excerpt(changes.patch, PATCH_CHARS).split("\n");
  const kind = (line: string) => (line.startsWith("+") ? "good" : line.startsWith("-") ? "bad" : "");
  return html`<details><summary>${sizeText(changes)}</summary><pre>${lines.map(
    (line) => html`<span class="${kind(line)}">${line === "" ? " " : line}</span>`,
  )}</pre></details>`;
}

/** Times of two sessions could tell a blind reader which arm is which. */
function foot(reported: Reported, showing: Showing): Html {
  const { verdict, a } = reported;
  const sessions = sessionsOf(reported);
  const ids = sessions.map(({ session_id }) => `Session ${session_id}`);
  const named = [
    ...(showing === "blind" && sessions.length > 1 ? [] : ids),
    ...(isOwn(reported) ? [] : [`Verdict ${verdict?.verdict_id}`]),
  ];
  return html`<p class="soft">${
    showing === "blind" ? null : `Cost: ${costTexts(reported).join(", ")}. `
  }${named.join(", ")}, abeval ${a.session.version}</p>`;
}
