import { Document, isMap, isNode, isScalar, isSeq } from "yaml";
import { cut } from "../../domain/excerpt.ts";
import { plainText } from "../../domain/plain-text.ts";
import { assignIds, slugOf } from "./resolve/ids.ts";

export interface DraftCheck {
  readonly run: string;
  /** The hidden file that it runs. */
  readonly file: string;
}

/** What was seen when a draft was tried. */
export interface MeasuredDraft {
  /** One for each check; empty when none was tried. */
  readonly checks: readonly MeasuredCheck[];
  /** Why none was tried; null when they were. */
  readonly failed: string | null;
}

const UNTRIED: MeasuredDraft = { checks: [], failed: null };

/** What a check gave on the untouched fixture and with the known fix; null where two runs differed. */
export interface MeasuredCheck {
  readonly before: "pass" | "fail" | null;
  readonly after: "pass" | "fail" | null;
  /** Why the check could not run here; null when it ran. */
  readonly cannot_run: string | null;
  /** How it failed with the known fix; null when it did not. */
  readonly reason: string | null;
}

export interface Draft {
  readonly name: string;
  readonly commit: string;
  readonly parent: string;
  /** The commit's message. */
  readonly message: string;
  readonly setup: readonly string[];
  readonly checks: readonly DraftCheck[];
  readonly protected: readonly string[];
  /** Files that the fix adds and the tests seem to name: an arm cannot guess them. */
  readonly named: readonly string[];
}

/** The text of the scenario file. It says of its checks only what was seen. */
export function draftScenario(draft: Draft, { checks: seen, failed }: MeasuredDraft = UNTRIED): string {
  const { name, commit, parent, checks, setup } = draft;
  const scenario = {
    name,
    title: titleOf(draft),
    tags: ["from-commit"],
    varies: ["system_prompt"],
    task: {
      prompt: promptOf(draft),
      fixture: { git: parent },
      ...(setup.length > 0 && { setup }),
      ...(checks.length > 0 && { probe: { dir: `${name}/probe`, checks: checksOf(checks, seen) } }),
      reference_fix: { patch: `${name}/reference.patch` },
    },
    arms: ARMS,
    ...(draft.protected.length > 0 && { policies: { paths: { protected: draft.protected } } }),
    rubric: {
      criteria: [
        ...(checks.length > 0 ? [{ measure: "probe_score", weight: 2 }] : []),
        {
          id: "cause",
          question: "Is the cause of the problem mended, and nothing else changed?",
          anchors: {
            0: "not mended",
            2: "the symptom is gone, the cause is left",
            4: "mended at its cause, and only there",
          },
        },
        { measure: "reference_fix" },
      ],
      judge: { model: "builtin/evidence" },
    },
  };
  const notes = [
    ...(failed === null ? [] : [{ path: ["task", setup.length > 0 ? "setup" : "probe"], text: untriedLine(failed) }]),
    ...NOTES,
    ...(checks.length > 0 ? checkNotes(checks, seen) : [NO_PROBE]),
  ];
  return `# Made from ${commit.slice(0, 12)} by \`abeval run --new\`: ${plainText(titleOf(draft))}\n${withNotes(scenario, notes)}`;
}

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

/** A comment above a field, or above an entry of a list. */
interface Note {
  readonly path: readonly (string | number)[];
  readonly text: string;
}

/** The places at which an author has to decide something, in the order of the file. */
const NOTES: readonly Note[] = [
  {
    path: ["task", "prompt"],
    text: "From the commit's message. Rewrite it as a report of the problem: it must not tell the solution.",
  },
  {
    path: ["task", "fixture"],
    text: "The commit before the fix. Arms see all of it; add `path: <dir>` for a part.",
  },
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

const NO_PROBE: Note = {
  path: ["task", "reference_fix"],
  text: "The commit has no tests, so nothing says what works: add a `probe` with a check that fails before the fix.",
};

/** Notes are attached to fields in the document, since a commit's message may hold lines that look like a field. */
function withNotes(scenario: object, notes: readonly Note[]): string {
  const document = new Document(scenario);
  for (const { path, text } of notes) {
    const parent = document.getIn(path.slice(0, -1), true);
    const last = path.at(-1);
    const noted = isMap(parent)
      ? parent.items.find(({ key }) => isScalar(key) && key.value === last)?.key
      : isSeq(parent) && parent.items[Number(last)];
    if (isNode(noted)) noted.commentBefore = ` ${text}`;
  }
  return document.toString({ lineWidth: 110, blockQuote: "literal", flowCollectionPadding: false });
}

/** The reason above each check that is not required. */
const checkNotes = (checks: readonly DraftCheck[], seen: readonly MeasuredCheck[]): Note[] =>
  checks.flatMap((check, index) => {
    const reason = reasonNotRequired(check, seen[index]);
    return reason === null ? [] : [{ path: ["task", "probe", "checks", index], text: `Not \`required\`: ${reason}.` }];
  });

function reasonNotRequired(check: DraftCheck | undefined, seen: MeasuredCheck | undefined): string | null {
  if (check?.run === PLACEHOLDER) return "nothing has run yet; write the command, then `before` and `required: true`";
  if (seen === undefined) return "nothing was tried here; add `before` and `required: true` once it was";
  if (seen.cannot_run !== null) return `${seen.cannot_run}; then add \`before\` and \`required: true\``;
  if (seen.before === null || seen.after === null) return "two runs of it differed";
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
  return checks.map(({ run }, index) => {
    const ran = run !== PLACEHOLDER && (seen[index]?.cannot_run ?? null) === null;
    const before = ran ? (seen[index]?.before ?? null) : null;
    // A check that fails before the fix and passes with it tests what was asked for.
    const required = before === "fail" && seen[index]?.after === "pass";
    return { id: ids[index], run, ...(before !== null && { before }), ...(required && { required }) };
  });
}

const titleOf = ({ message, name }: Draft) => plainText(message.trim().split("\n", 1)[0] ?? "").trim() || name;

/** Lines that tools add to a message, and that tell an arm nothing. */
const TRAILER =
  /^(signed-off-by|co-authored-by|reviewed-by|acked-by|tested-by|change-id|cherry-picked from|fixes|closes|refs?|see)\b.*[:#]/i;

function promptOf({ message, name }: Draft): string {
  const lines = plainText(message).replaceAll("\t", "  ").split("\n");
  const text = lines
    .filter((line) => !TRAILER.test(line.trim()))
    .map((line) => line.trimEnd())
    .join("\n")
    .trim();
  return `${text || name}\n`;
}

/** Says on stderr which program is missing, so that doctor can show the reason. */
export const PLACEHOLDER = "echo 'write the command that runs the hidden tests here' >&2; exit 1";
