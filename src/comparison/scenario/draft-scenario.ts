import { cut } from "../../domain/excerpt.ts";
import { plainText } from "../../domain/plain-text.ts";
import type { CheckFile } from "./authored/check-file.ts";
import type { Material } from "./draft/material.ts";
import { type Note, withNotes } from "./draft/noted-document.ts";
import { assignIds, slugOf } from "./resolve/ids.ts";

/** A check as an author writes it, without the measured fields. */
export interface DraftCheck extends Omit<Exclude<CheckFile, string>, "id" | "before" | "required"> {
  /** The hidden file that it runs, or another text that its id comes from. */
  readonly file: string;
}

/** What a judge is asked about both arms. */
interface DraftQuestion {
  readonly id?: string;
  readonly question: string;
  readonly anchors?: Readonly<Record<number, string>>;
}

/** What a trial of the draft showed. */
export interface MeasuredDraft {
  /** One for each check; empty when none was tried. */
  readonly checks: readonly MeasuredCheck[];
  /** Why none was tried; null when they were. */
  readonly failed: string | null;
}

const UNTRIED: MeasuredDraft = { checks: [], failed: null };

/** What a check gave on the untouched fixture and with the reference fix; null where two runs differed. */
export interface MeasuredCheck {
  readonly before: "pass" | "fail" | null;
  readonly after: "pass" | "fail" | null;
  /** Why the check could not run here; null when it ran. */
  readonly cannot_run: string | null;
  /** How it failed with the reference fix; null when it did not. */
  readonly reason: string | null;
}

/** The form of the reference fix: a patch, whole files, or a script that runs once. */
type DraftReference = { readonly kind: "patch" | "files" } | DraftSolution;

/** A script that solves a task, run in the directory that has its files. */
export interface DraftSolution {
  readonly kind: "script";
  readonly run: string;
  /** Text by path; these files are removed before the change is read. */
  readonly files: Readonly<Record<string, string>>;
  readonly timeout_s: number;
}

/** A scenario made from another tool's task, not yet written. Every importer returns one. */
export interface Draft {
  readonly name: string;
  readonly title: string;
  /** What it was made from, for the first line of the file. */
  readonly origin: string;
  /** The task's original format, as a tag. */
  readonly form: string;
  readonly prompt: string;
  /** The commit that arms start from; absent: the files of its material below `fixture/`. */
  readonly commit?: string;
  /** Globs of what is left out of the commit. */
  readonly exclude?: readonly string[];
  /** The image that it runs on; without a commit and a fixture, the image's working directory is the fixture. */
  readonly image?: { readonly path: string; readonly digest: string };
  /** Whether the fixture is a repository of one commit. */
  readonly repository?: boolean;
  /** Where the workspace is mounted, and what is mounted beside it: a directory of its material, or an empty one. */
  readonly at?: string;
  readonly also?: Readonly<Record<string, { readonly dir: string } | { readonly private: true }>>;
  /** Variables of every command. */
  readonly env?: Readonly<Record<string, string>>;
  readonly setup: readonly string[];
  readonly checks: readonly DraftCheck[];
  readonly reference: DraftReference | null;
  readonly protected: readonly string[];
  /** Files that the fix adds and the tests seem to name: an arm cannot guess them. */
  readonly named: readonly string[];
  /** Whether the final answer is the work, alone or beside files. */
  readonly answer?: "alone" | "with_files";
  /** Seconds that an arm gets; absent: the usual ones. */
  readonly max_seconds?: number;
  readonly questions: readonly DraftQuestion[];
  /** The places where an author has to decide something. */
  readonly notes: readonly Note[];
  /** Files beside the scenario, below a directory of its name. */
  readonly material: readonly Material[];
}

/** The text of the scenario file. It claims about its checks only what was measured. */
export function draftScenario(draft: Draft, { checks: seen, failed }: MeasuredDraft = UNTRIED): string {
  const { name, checks, setup } = draft;
  const scenario = {
    name,
    title: draft.title,
    tags: [draft.form],
    varies: ["system_prompt"],
    task: {
      prompt: draft.prompt,
      ...(draft.image && { image: draft.image }),
      ...fixtureOf(draft),
      ...(setup.length > 0 && { setup }),
      ...(checks.length > 0 && {
        probe: { ...(hasFiles(draft, "probe") && { dir: `${name}/probe` }), checks: checksOf(checks, seen) },
      }),
      ...referenceOf(draft),
      ...deliverableOf(draft),
    },
    arms: armsOf(draft),
    ...policiesOf(draft),
    rubric: { criteria: criteriaOf(draft), judge: { model: "builtin/evidence" } },
  };
  const notes = [
    ...(failed === null ? [] : [{ path: ["task", setup.length > 0 ? "setup" : "probe"], text: untriedLine(failed) }]),
    ...draft.notes,
    ...NOTES,
    ...(checks.length > 0 ? checkNotes(draft, seen) : []),
  ];
  // What follows a line's end in the name of a directory or of a row would be a field of the scenario.
  const heading = plainText(`Made from ${draft.origin} by \`abeval new\`: ${draft.title}`).replace(/\s+/g, " ");
  return `# ${heading}\n${withNotes(scenario, notes)}`;
}

const hasFiles = ({ material }: Draft, below: "fixture" | "probe") =>
  material.some(({ path }) => path === below || path.startsWith(`${below}/`));

function fixtureOf(draft: Draft) {
  const { name, commit, exclude = [], at, also, env, repository } = draft;
  const part = exclude.length > 0 && { exclude };
  const whole = { ...(commit !== undefined && { git: commit, ...part }), ...(repository && { repository }) };
  if (Object.keys(whole).length > 0) return { fixture: whole };
  const dir = hasFiles(draft, "fixture") ? `${name}/fixture` : undefined;
  if (also === undefined) return dir === undefined ? {} : { fixture: dir };
  const beside = Object.entries(also).map(([path, what]) => [path, "dir" in what ? `${name}/${what.dir}` : what]);
  const mounted = { ...(at !== undefined && { at }), also: Object.fromEntries(beside), ...(env && { env }) };
  return { fixture: { ...(dir !== undefined && { dir }), ...mounted } };
}

function referenceOf({ name, reference }: Draft) {
  if (reference === null) return {};
  return {
    reference_fix: reference.kind === "files" ? { dir: `${name}/reference` } : { patch: `${name}/reference.patch` },
  };
}

function deliverableOf({ answer }: Draft) {
  if (answer === undefined) return {};
  return { deliverable: answer === "alone" ? "answer" : { answer: true, files: ["**"] } };
}

/** Where the answer alone counts, an arm needs no tools. */
const armsOf = ({ answer }: Draft) =>
  answer === "alone" ? ARMS.map((arm) => ("model" in arm ? { ...arm, tools: [] } : arm)) : ARMS;

function policiesOf({ protected: paths, max_seconds }: Draft) {
  const policies = {
    ...(paths.length > 0 && { paths: { protected: paths } }),
    ...(max_seconds !== undefined && { budget: { max_seconds } }),
  };
  return Object.keys(policies).length > 0 ? { policies } : {};
}

const criteriaOf = ({ checks, questions, reference, answer }: Draft) => [
  ...(checks.length > 0 ? [{ measure: "probe_score", weight: 2 }] : []),
  ...questions,
  ...(reference === null ? [] : [{ measure: "reference_fix" }]),
  ...(answer === "alone" ? [{ measure: "answer_words" }] : []),
];

/** Why nothing was tried, in one line. */
export function untriedLine(failed: string): string {
  const [first = "", ...others] = failed.split("\n");
  const telling = TELLING.test(first) ? undefined : others.find((line) => TELLING.test(line));
  return `No check was tried: ${cut([first, ...(telling === undefined ? [] : [telling.trim()])].join(" ... "), 400)}`;
}

/** A line of a package manager's output that says what went wrong. */
const TELLING = /\b(error|err!|fatal|not found|denied)\b/i;

const ARMS = [
  {
    id: "baseline",
    model: "scripted/baseline",
    system_prompt: "You are a software engineer. Do what you are asked, then stop.",
    script: [{ say: "This script changes nothing. Run with --model <provider>/<model>." }],
  },
  {
    id: "candidate",
    extends: "baseline",
    system_prompt: "You are a software engineer. Reproduce the problem first, mend its cause, then run the tests.",
  },
];

const NOTES: readonly Note[] = [
  {
    path: ["task", "probe", "checks"],
    text: "Where `before` stands, it was seen. An exit code can be forged: see output_matches in the documentation.",
  },
  {
    path: ["arms"],
    text: "Two prompts. The scripts make the file valid without a key; --model puts a real model into both arms.",
  },
  {
    path: ["rubric", "judge"],
    text: "Asks no model. Remove these two lines, or pass --judge-model, to have the question judged.",
  },
];

/** The reason above each check that is not required. */
const checkNotes = ({ checks, reference }: Draft, seen: readonly MeasuredCheck[]): Note[] =>
  checks.flatMap((check, index) => {
    const reason = check.run === undefined ? null : reasonNotRequired(check, seen[index], reference !== null);
    return reason === null ? [] : [{ path: ["task", "probe", "checks", index], text: `Not \`required\`: ${reason}.` }];
  });

function reasonNotRequired(check: DraftCheck, seen: MeasuredCheck | undefined, hasReference: boolean): string | null {
  if (check.run === PLACEHOLDER) return "nothing has run yet; write the command, then `before` and `required: true`";
  if (seen === undefined) return "nothing was tried here; add `before` and `required: true` once it was";
  if (seen.cannot_run !== null) return `${seen.cannot_run}; then add \`before\` and \`required: true\``;
  if (seen.before === null || (hasReference && seen.after === null)) return "two runs of it differed";
  if (seen.after === null) return "no reference fix has shown that it can pass";
  if (seen.after === "fail") return `it fails with the fix, too: ${seen.reason}`;
  return seen.before === "pass" ? "it passes before the fix, too" : null;
}

/** The ids that the file gives its checks, in their order. */
export function checkIds(checks: readonly DraftCheck[]): string[] {
  const proposed = checks.map(({ file }) => slugOf(file.replace(/\.\w+$/, "").replace(/^.*\//, ""), "check"));
  return assignIds(proposed.map((id) => ({ given: undefined, proposed: id })));
}

function checksOf(checks: readonly DraftCheck[], seen: readonly MeasuredCheck[]) {
  const ids = checkIds(checks);
  return checks.map(({ file: _, ...check }, index) => {
    if (check.run === undefined) return { id: ids[index], ...check };
    const ran = check.run !== PLACEHOLDER && (seen[index]?.cannot_run ?? null) === null;
    const before = ran ? (seen[index]?.before ?? null) : null;
    // A check that fails before the fix and passes with it tests what was asked for.
    const required = before === "fail" && seen[index]?.after === "pass";
    return { id: ids[index], ...check, ...(before !== null && { before }), ...(required && { required }) };
  });
}

/** Says on stderr which program is missing, so that doctor can show the reason. */
export const PLACEHOLDER = "echo 'write the command that runs the hidden tests here' >&2; exit 1";
