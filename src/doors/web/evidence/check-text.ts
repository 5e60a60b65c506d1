import { regexOf } from "../../../domain/regex-of.ts";
import type { CalledCheck, ChangedCheck, ProbeCheck } from "../../../domain/task.ts";
import { countOf } from "../format.ts";

/** What a hidden check asks for, without its id, weight and result. */
export function checkText(check: ProbeCheck): string {
  const { answer_contains, answer_lacks, answer_matches, answer_json, called, changed, posted } = check;
  const anyCase = check.ignore_case ? " in any letter case" : "";
  if (answer_contains) return `answer contains ${answer_contains.map(quoted).join(" and ")}${anyCase}`;
  if (answer_lacks) return `${lackText(answer_lacks)}${anyCase}`;
  if (answer_matches !== undefined) return `answer ${patternText(answer_matches)}`;
  if (answer_json !== undefined)
    return answer_json === true ? "answer is JSON" : `answer is JSON that fits ${JSON.stringify(answer_json)}`;
  if (called) return calledText(called);
  if (changed) return changedText(changed);
  return posted ? postedText(check, posted.url) : commandText(check);
}

const quoted = (text: string) => `“${text}”`;

const lackText = (texts: readonly string[]) =>
  texts.length === 1
    ? `answer does not contain ${texts.map(quoted).join("")}`
    : `answer contains neither ${texts.map(quoted).join(" nor ")}`;

const patternText = (pattern: string) =>
  regexOf(pattern) === null ? `contains ${quoted(pattern)}` : `matches ${pattern}`;

function calledText({ tool, match, min, max }: CalledCheck): string {
  const call = match === null ? tool : `${tool} ${match}`;
  return max === 0 ? `never calls ${call}` : `calls ${call} ${rangeText(min, max, "time")}`;
}

function changedText({ paths, min, max }: ChangedCheck): string {
  return `changes ${max === 0 ? "no file" : rangeText(min, max, "file")} of ${paths.join(", ")}`;
}

function rangeText(min: number, max: number | undefined, unit: string): string {
  if (max === undefined) return `at least ${countOf(min, unit)}`;
  if (min === max) return `exactly ${countOf(max, unit)}`;
  return min === 0 ? `at most ${countOf(max, unit)}` : `${min} to ${countOf(max, unit)}`;
}

const postedText = ({ score, min_score }: ProbeCheck, url: string) =>
  `posted to ${url}: ${!score ? "passes" : min_score === undefined ? "scores" : `scores at least ${min_score}`}`;

function commandText({ run = "", expect_exit, output_matches }: ProbeCheck): string {
  const exit = expect_exit === 0 ? "" : `; exit code ${expect_exit}`;
  return `runs: ${run}${exit}${output_matches === null ? "" : `; output ${patternText(output_matches)}`}`;
}
