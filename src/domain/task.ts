import { type Static, Type } from "@sinclair/typebox";
import { PostedCheck } from "./answering.ts";
import { SETUP_TIMEOUT_S } from "./defaults.ts";
import { WORKSPACE_AT } from "./mount-point.ts";
import { Digest, nullable, oneOf, record, Share, Slug } from "./schema.ts";

export const Files = Type.Record(Type.String(), Type.String(), {
  description: "File text by path, relative, with forward slashes.",
});
export type Files = Static<typeof Files>;

export const FileSet = record("FileSet", {
  dir: nullable(Type.String(), { description: "Directory relative to the scenario file." }),
  git: Type.Optional(
    record("GitTree", {
      tree: Type.String({
        pattern: "^[0-9a-f]{40,64}$",
        description: "Object id; a ref is resolved when the file is read.",
      }),
    }),
  ),
  files: Files,
  digest: Digest("SHA-256 over the paths and bytes of the directory or the git tree, and the inline files."),
});
export type FileSet = Static<typeof FileSet>;

/** What stands beside a workspace: files, read-only, or an empty place for each command to write to. */
export const PlaceBeside = Type.Union([
  FileSet,
  record("PrivatePlace", {
    private: Type.Literal(true, { description: "An empty writable directory in memory, new for each command." }),
  }),
]);
export type PlaceBeside = Static<typeof PlaceBeside>;

/** A record's own properties; its name belongs to it alone. */
export const Fixture = record("Fixture", {
  ...FileSet.properties,
  exclude: Type.Optional(
    Type.Array(Type.String(), {
      minItems: 1,
      description: "Globs: what fits one is left out of the directory or the commit, with everything below it.",
    }),
  ),
  at: Type.Optional(Type.String({ description: "Where the workspace is mounted; absent: /workspace." })),
  also: Type.Optional(
    Type.Record(Type.String(), PlaceBeside, { description: "What else is shown, by its absolute path inside." }),
  ),
  env: Type.Optional(
    Type.Record(Type.String(), Type.String(), { description: "Variables of every command in the workspace." }),
  ),
  repository: Type.Optional(
    Type.Literal(true, { description: "The workspace is a git repository with one commit, which holds all of it." }),
  ),
});
export type Fixture = Static<typeof Fixture>;

export const SetupStep = record("SetupStep", {
  run: Type.String({ minLength: 1 }),
  timeout_s: Type.Number({ exclusiveMinimum: 0 }),
});
export type SetupStep = Static<typeof SetupStep>;

/** The usual limit of a step as it was when digests were first taken. */
const FORMER_TIMEOUT_S = 60;

/** The steps as digests hold them: with the usual limit of today they are what they were with that of then. */
export const setupForDigest = (steps: readonly SetupStep[]): readonly SetupStep[] =>
  steps.map((step) => (step.timeout_s === SETUP_TIMEOUT_S ? { ...step, timeout_s: FORMER_TIMEOUT_S } : step));

/** A fixture as digests hold it: plain, at its usual place, alone there and without variables, it is what it was before it could be otherwise. */
export function fixtureForDigest(fixture: Fixture | null) {
  if (fixture === null) return null;
  const { digest, at, also, env, repository } = fixture;
  if (at === undefined && also === undefined && env === undefined && repository === undefined) return digest;
  const beside = Object.entries(also ?? {}).map(([path, what]) => [path, "private" in what ? "private" : what.digest]);
  const mounted = { digest, at: at ?? WORKSPACE_AT, also: Object.fromEntries(beside) };
  return { ...mounted, ...(env && { env }), ...(repository && { repository }) };
}

const Texts = (description: string) => Type.Array(Type.String({ minLength: 1 }), { minItems: 1, description });
const Most = (what: string) =>
  Type.Optional(Type.Integer({ minimum: 0, description: `Most ${what}; absent: any number.` }));

export const CalledCheck = record("CalledCheck", {
  tool: Type.String({ description: "Name of a tool, `<server>__<tool>`, or what an external agent calls it." }),
  match: nullable(Type.String(), { description: "Glob on the command or path of the call; null = any call." }),
  min: Type.Integer({ minimum: 0, description: "Fewest calls that ran." }),
  max: Most("calls that ran"),
});
export type CalledCheck = Static<typeof CalledCheck>;

export const ChangedCheck = record("ChangedCheck", {
  paths: Type.Array(Type.String(), { minItems: 1, description: "Globs." }),
  min: Type.Integer({ minimum: 0, description: "Fewest changed files that fit one of them." }),
  max: Most("changed files that fit"),
});
export type ChangedCheck = Static<typeof ChangedCheck>;

/** What a check may be; it is exactly one of these. */
export const CHECK_KINDS = [
  "run",
  "answer_contains",
  "answer_lacks",
  "answer_matches",
  "answer_json",
  "called",
  "changed",
  "posted",
] as const;
type CheckKind = (typeof CHECK_KINDS)[number];

export const ProbeCheck = record("ProbeCheck", {
  id: Slug(),
  run: Type.Optional(
    Type.String({ minLength: 1, description: "Shell command, run in a copy of the final workspace." }),
  ),
  answer_contains: Type.Optional(Texts("Texts that the answer must all contain.")),
  answer_lacks: Type.Optional(Texts("Texts none of which the answer may contain.")),
  ignore_case: Type.Optional(Type.Literal(true, { description: "For `answer_contains` and `answer_lacks`." })),
  answer_matches: Type.Optional(
    Type.String({ description: "Literal text or `/regex/` that the answer must contain." }),
  ),
  answer_json: Type.Optional(
    Type.Union([Type.Literal(true), Type.Record(Type.String(), Type.Unknown())], {
      description: "The answer, or its one fenced block, is JSON; with a JSON Schema: JSON that fits it.",
    }),
  ),
  called: Type.Optional(CalledCheck),
  changed: Type.Optional(ChangedCheck),
  posted: Type.Optional(PostedCheck),
  before: nullable(oneOf(["pass", "fail"]), {
    description: "The expected result on the untouched fixture; null when not declared.",
  }),
  required: Type.Boolean({ description: "An arm that fails it cannot win against one that passes." }),
  weight: Type.Number({ exclusiveMinimum: 0 }),
  timeout_s: Type.Number({ exclusiveMinimum: 0 }),
  expect_exit: Type.Integer({ minimum: 0, maximum: 255 }),
  output_matches: nullable(Type.String(), {
    description: "Literal text or `/regex/` that stdout and stderr together must contain.",
  }),
  score: Type.Optional(
    Type.Literal(true, { description: "It gives a number from 0 to 1: the last line of its stdout, or `score`." }),
  ),
  min_score: Type.Optional(Share("A number from here on is a pass. Absent: a number is neither pass nor failure.")),
});
export type ProbeCheck = Static<typeof ProbeCheck>;

export const checkKind = (check: Partial<Record<CheckKind, unknown>>): CheckKind =>
  CHECK_KINDS.find((kind) => check[kind] !== undefined) ?? "run";

/** Whether it gives a number from 0 to 1. */
export const givesNumber = ({ score }: ProbeCheck): boolean => score === true;

/** A command may look at whatever it finds, so it counts once it names the evidence. */
export const looksAtAnswer = (check: ProbeCheck): boolean =>
  checkKind(check) === "run" ? (check.run ?? "").includes("ABEVAL_EVIDENCE") : !(check.called || check.changed);

export type CheckPosted = ProbeCheck & { readonly posted: PostedCheck };

/** Those of a task that are posted. */
export const postedChecks = ({ probe }: { readonly probe: Probe | null }): readonly CheckPosted[] =>
  (probe?.checks ?? []).filter((check): check is CheckPosted => check.posted !== undefined);

export const Probe = record("Probe", { files: FileSet, checks: Type.Array(ProbeCheck, { minItems: 1 }) });
export type Probe = Static<typeof Probe>;

export const ReferenceFix = record("ReferenceFix", {
  patch: Type.String({ description: "Unified diff against the fixture." }),
  digest: Digest("SHA-256 of the patch."),
});
export type ReferenceFix = Static<typeof ReferenceFix>;

export const ReferenceAnswer = record("ReferenceAnswer", {
  text: Type.String({ minLength: 1 }),
  digest: Digest("SHA-256 of the text."),
});
export type ReferenceAnswer = Static<typeof ReferenceAnswer>;

const SaidBefore = record("SaidBefore", {
  role: oneOf(["user", "assistant"]),
  text: Type.String({ minLength: 1 }),
});

export const TaskImage = record("TaskImage", {
  path: Type.String({ description: "Relative to the scenario file." }),
  digest: Digest("SHA-256 of the image's configuration, or the digest that its author gave: of its manifest."),
});
export type TaskImage = Static<typeof TaskImage>;

export const Task = record("Task", {
  messages: Type.Optional(
    Type.Array(SaidBefore, {
      minItems: 2,
      description: "What was said before the prompt, in turns, from the user's first to the assistant's last.",
    }),
  ),
  prompt: Type.String({
    minLength: 1,
    description:
      "The text that an arm without a prompt of its own gets besides its system prompt. Where each has its own: the question, or the title.",
  }),
  question: Type.Optional(
    Type.String({
      minLength: 1,
      description: "What was asked of both arms where they have prompts of their own: a judge reads it in their place.",
    }),
  ),
  given: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description: "Beside `question`: the values of the row that the arms were told, by column.",
    }),
  ),
  follow_ups: Type.Optional(Texts("What the user says next, after each final answer.")),
  fixture: nullable(Fixture),
  image: Type.Optional(TaskImage),
  setup: Type.Array(SetupStep),
  probe: nullable(Probe),
  reference_fix: nullable(ReferenceFix),
  reference_answer: Type.Optional(ReferenceAnswer),
  deliverable: Type.Array(Type.String(), { description: "Globs of the changes that count as the work; empty: none." }),
  answer: Type.Optional(Type.Literal(true, { description: "The final answer is the work, or part of it." })),
});
export type Task = Static<typeof Task>;

/** What the arm is asked to do. */
export const promptFor = (
  task: Pick<Task, "prompt">,
  arm: { readonly prompt?: string | undefined } | undefined,
): string => arm?.prompt ?? task.prompt;

/** The prompts that arms have of their own; none where both are asked the same. */
export const ownPrompts = (arms: readonly { readonly prompt?: string | undefined }[]): readonly string[] =>
  arms.flatMap(({ prompt }) => prompt ?? []);

/** The texts that arms read of their task and as their own prompts, each with its field. */
export const saidTo = (
  { messages = [], prompt, follow_ups = [] }: Pick<Task, "messages" | "prompt" | "follow_ups">,
  arms: readonly { readonly id: string; readonly prompt?: string | undefined }[],
) => [
  ...messages.map(({ text }, index) => ({ name: `task.messages[${index}]`, text })),
  { name: "task.prompt", text: prompt },
  ...arms.flatMap(({ id, prompt: own }) => (own === undefined ? [] : [{ name: `the prompt of ${id}`, text: own }])),
  ...follow_ups.map((text, index) => ({ name: `task.follow_ups[${index}]`, text })),
];
