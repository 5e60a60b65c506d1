import { counted } from "../domain/counted.ts";
import { decidedText } from "../domain/decided-text.ts";
import { whyDisqualified } from "../domain/disqualification.ts";
import { endText } from "../domain/end-text.ts";
import { sizeOf } from "../domain/evidence.ts";
import { excerpt } from "../domain/excerpt.ts";
import type { ArmSummary, SessionOutcome } from "../domain/session.ts";
import { suspicionLines } from "../domain/suspicion-text.ts";
import { costParts } from "../domain/usage.ts";
import { usdText } from "../domain/usd-text.ts";
import { SIDES, type Verdict } from "../domain/verdict.ts";
import { type Html, html, htmlPage, htmlTable } from "./html.ts";

/** `blind`: without names, models and verdict, for a reader who is to judge. `redacted`: figures alone, nothing that anybody wrote. */
export type Showing = "all" | "blind" | "redacted";

/** Characters of one text of an arm, head and tail; the whole stands in the session. */
const ANSWER_CHARS = 20_000;
const PATCH_CHARS = 100_000;
const OUTPUT_CHARS = 2_000;
const PROMPT_CHARS = 10_000;
/** Checks of an arm whose output is shown. */
const SHOWN_OUTPUTS = 50;

/** A session with its verdict as one page: it stands alone, and what arms and judge wrote is text in it. */
export function sessionHtml(session: SessionOutcome, showing: Showing = "all"): string {
  const { verdict } = session;
  const title = titleOf(session, showing);
  const body = html`${head(session, showing)}
${verdict && showing !== "blind" ? judged(verdict, showing) : null}
<h2>Both arms</h2>
${htmlTable(["", ...names(session, showing)], armRows(session, showing))}
${showing === "redacted" ? null : written(session, showing)}
${foot(session, showing)}`;
  return htmlPage(`${title} · abeval`, body);
}

function titleOf({ scenario, definition }: SessionOutcome, showing: Showing): string {
  if (showing === "redacted") return scenario;
  return showing === "blind" ? "Which is better?" : definition.title;
}

const names = ({ arms }: SessionOutcome, showing: Showing) =>
  arms.map(({ arm_id }, index) => nameOf(showing === "blind" ? "" : arm_id, index));

function nameOf(name: string, index: number): Html {
  const letter = (SIDES[index] ?? "b").toUpperCase();
  return html`<strong class="${SIDES[index] ?? "b"}">${letter}</strong> ${name}`;
}

function head(session: SessionOutcome, showing: Showing): Html {
  const { verdict, failure, created_at } = session;
  const title = html`<h1>${titleOf(session, showing)}</h1>`;
  if (showing === "blind")
    return html`${title}<p>Names, models and verdict are left out, so that you can say which arm did better.</p>`;
  if (verdict === null)
    return html`${title}<p><strong>No verdict.</strong> ${showing === "all" ? (failure?.message ?? "The session did not finish.") : null}</p>`;
  const { outcome, winner } = verdict;
  return html`${title}<p><strong>${winner === null ? outcome : `${winner} wins`}</strong> ${decidedText(verdict)}</p>
<p>${verdict.statement}</p><p class="soft">${created_at}, judge ${verdict.judge.model}</p>`;
}

function judged(verdict: Verdict, showing: Showing): Html {
  const { criteria, arm_a, arm_b, flags, score_a, score_b, rationale } = verdict;
  const score = (value: number | null) => (value === null ? "not scored" : value.toFixed(2));
  const all = showing === "all";
  const rows = criteria.map(({ id, weight, supported, note, ...of }) => [
    all && note !== "" ? html`${id}<div class="soft" dir="auto">${note}</div>` : id,
    String(weight),
    supported ? score(of.score_a) : "not scored",
    supported ? score(of.score_b) : "not scored",
  ]);
  return html`<h2>Criteria</h2>
${htmlTable(
  ["Criterion", "Weight", nameOf(arm_a.arm_id, 0), nameOf(arm_b.arm_id, 1)],
  [...rows, ["Together", "", score(score_a), score(score_b)]],
)}
${flags.length > 0 ? html`<p>Before you trust it: ${flags.map((flag) => flag.replaceAll("_", " ")).join(", ")}.</p>` : null}
${all ? suspicionLines(verdict).map((line) => html`<p class="bad">Suspected words of ${line}</p>`) : null}
${all && rationale !== "" ? html`<h2>Reasons</h2><p dir="auto">${rationale}</p>` : null}`;
}

function armRows({ arms }: SessionOutcome, showing: Showing): (string | Html)[][] {
  const row = (name: string, cell: (arm: ArmSummary) => string | Html) => [name, ...arms.map(cell)];
  const known = (value: number | null) => (value === null ? "unknown" : String(value));
  const why = (arm: ArmSummary) => whyDisqualified(arm.violations).join(" and ");
  return [
    ...(showing === "blind" ? [] : [row("model", ({ model }) => model)]),
    row("ended", endText),
    ...(showing === "all" && arms.some(why) ? [row("disqualified", (arm) => why(arm) || "no")] : []),
    row("hidden checks", ({ probe }) => (probe ? `${probe.passed} of ${probe.total}` : "none")),
    row("change", ({ changes }) => sizeText(changes)),
    row("turns, tool calls", ({ turns, tool_calls }) => `${turns}, ${tool_calls}`),
    row("tokens in, out", ({ tokens_in, tokens_out }) => `${known(tokens_in)}, ${known(tokens_out)}`),
    row("cost", ({ cost_usd }) => usdText(cost_usd)),
    row("working time", ({ working_ms }) => `${(working_ms / 1000).toFixed(1)} s`),
  ];
}

function sizeText(changes: ArmSummary["changes"]): string {
  const { changed_files, added, removed } = sizeOf(changes);
  return changed_files === null ? "unknown" : `${counted(changed_files, "file")}, +${added} −${removed}`;
}

/** What the task said and what the arms wrote. */
function written(session: SessionOutcome, showing: Showing): Html {
  const { arms, definition } = session;
  const named = names(session, showing);
  return html`<h2>What both were asked</h2><pre dir="auto">${excerpt(definition.task.prompt, PROMPT_CHARS)}</pre>
${arms.map(
  (arm, index) => html`<h2>${named[index] ?? ""}</h2>
<h3>Answer</h3>${arm.final_answer === null ? html`<p class="soft">It gave none.</p>` : html`<pre dir="auto">${excerpt(arm.final_answer, ANSWER_CHARS)}</pre>`}
${checksOf(arm)}${patchOf(arm)}`,
)}`;
}

function checksOf({ probe }: ArmSummary): Html | null {
  if (probe === null) return null;
  const rows = probe.checks.map(({ id, status, required, reason, output }, index) => [
    html`${id}${required ? html` <span class="soft">required</span>` : null}`,
    html`<span class="${status === "pass" ? "good" : "bad"}">${status}</span>${reason === null ? null : `: ${reason}`}`,
    index < SHOWN_OUTPUTS && output !== ""
      ? html`<details><summary>output</summary><pre>${excerpt(output, OUTPUT_CHARS)}</pre></details>`
      : "",
  ]);
  return html`<h3>Hidden checks</h3>${htmlTable(["Check", "Result", ""], rows)}`;
}

function patchOf({ changes }: ArmSummary): Html | null {
  if (changes === null || changes.patch === "") return null;
  const lines = excerpt(changes.patch, PATCH_CHARS).split("\n");
  const kind = (line: string) => (line.startsWith("+") ? "good" : line.startsWith("-") ? "bad" : "");
  return html`<h3>Change</h3><details><summary>${sizeText(changes)}</summary><pre>${lines.map(
    (line) => html`<span class="${kind(line)}">${line === "" ? " " : line}</span>`,
  )}</pre></details>`;
}

const foot = (session: SessionOutcome, showing: Showing): Html =>
  html`<p class="soft">${
    showing === "blind" ? null : `Cost: ${costParts(session).join(", ")}. `
  }Session ${session.session_id}, abeval ${session.version}</p>`;
