import { type Policies, SKILL } from "../../domain/policies.ts";
import type { Criterion, JudgedCriterion, Rubric } from "../../domain/rubric.ts";
import type { Task } from "../../domain/task.ts";

/** Characters of a reference that a judge reads. */
const REFERENCE_CHARS = 12_000;

/** Task, rubric, rules and references in words: the part of the prompt that is the same for every pair of arms. */
export function scenarioBrief(task: Task, rubric: Rubric, policies: Policies): string {
  return [
    ...(task.messages ? [`# Said before the task\n${task.messages.map(saidText).join("\n")}`] : []),
    `# Task given to both agents\n${taskText(task)}`,
    ...(task.follow_ups ? [`# Said to both agents after each answer\n${numbered(task.follow_ups)}`] : []),
    `# Rubric\n${rubric.criteria.filter(isJudged).map(criterionText).join("\n")}`,
    rubric.instructions.trim() === "" ? "" : `# Instructions of the rubric's author\n${rubric.instructions.trim()}`,
    `# Rules both agents worked under\n${policyText(policies, task)}`,
    task.reference_fix ? `# One acceptable solution among others\n${referenceText(task.reference_fix.patch)}` : "",
    task.reference_answer ? `# One acceptable answer among others\n${referenceText(task.reference_answer.text)}` : "",
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** An arm's own prompt would tell which arm it is. */
function taskText({ prompt, question, given = {} }: Task): string {
  if (question === undefined) return prompt.trim();
  const values = Object.entries(given).map(([name, value]) => `- ${name}: ${value.trim()}`);
  return [
    question.trim(),
    ...(values.length > 0 ? [`What both were told:\n${values.join("\n")}`] : []),
    "Each agent was asked in other words, which are not shown.",
  ].join("\n\n");
}

const saidText = ({ role, text }: NonNullable<Task["messages"]>[number]) =>
  `${role === "user" ? "User" : "Agent"}: ${text.trim()}`;

const numbered = (texts: readonly string[]) =>
  texts.map((text, index) => `Follow-up ${index + 1}: ${text.trim()}`).join("\n");

export const isJudged = (criterion: Criterion): criterion is JudgedCriterion => criterion.kind === "judged";

function criterionText({ id, weight, question, anchors }: JudgedCriterion): string {
  const texts = Object.entries(anchors).map(([score, meaning]) => `    ${score} = ${meaning}`);
  return [`- ${id} (weight ${weight}): ${question}`, ...texts].join("\n");
}

function policyText(policies: Policies, { deliverable, answer }: Pick<Task, "deliverable" | "answer">): string {
  const { commands, paths, network, required } = policies;
  const list = (globs: readonly string[]) => (globs.length === 0 ? "none" : globs.join(", "));
  return [
    ...(answer ? ["- The work: the final answer"] : []),
    ...(answer && deliverable.length === 0 ? [] : [`- Changes that count as the answer: ${list(deliverable)}`]),
    `- Writable paths: ${list(paths.writable)}; protected paths: ${list(paths.protected)}`,
    `- Refused commands: ${list(commands.deny)}${commands.allow === null ? "" : `; allowed ones only: ${list(commands.allow)}`}`,
    `- Network: ${network}`,
    ...required
      .filter(({ tool }) => tool !== SKILL)
      .map(({ id, tool, match, min }) => `- Required (${id}): at least ${min} x ${tool}${match ? ` ${match}` : ""}`),
  ].join("\n");
}

function referenceText(text: string): string {
  if (text.length <= REFERENCE_CHARS) return text.trim();
  return `${text.slice(0, REFERENCE_CHARS).toWellFormed()}\n(${text.length - REFERENCE_CHARS} more characters)`;
}
