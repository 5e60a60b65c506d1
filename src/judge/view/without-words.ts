import type { Decision } from "../../domain/decision.ts";
import type { ChangedFile, Changes } from "../../domain/evidence.ts";
import type { JudgedArm } from "../judge.ts";
import { wordMask } from "./code-words.ts";
import { type Hunk, parsePatch } from "./parse-patch.ts";

/** Written in place of an arm's words. */
const WITHHELD = "[withheld]";

/**
 * The arm without its own words: what code says about it stays (which steps, how they ended, which checks passed), and its
 * change without comments, sentences and names that it gave to new files. What it says, asks its tools, prints and
 * declares goes. Everything that is left is shown by the rules of every view.
 */
export function withoutWords(arm: JudgedArm): JudgedArm {
  const { changes, probe, final_answer } = arm.summary;
  return {
    ...arm,
    summary: {
      ...arm.summary,
      final_answer: final_answer === null ? null : WITHHELD,
      changes: changes && plainChanges(changes),
      probe: probe && { ...probe, checks: probe.checks.map((check) => ({ ...check, output: "" })) },
    },
    decisions: arm.decisions.map(silent),
  };
}

/** Its change holds code: something that is left of the arm's work without its words. */
export const hasCode = ({ summary: { changes } }: JudgedArm): boolean =>
  changes !== null && parsePatch(changes.patch).some(isCode);

const isCode = ({ path, text }: Hunk) => {
  const mask = wordMask(path);
  return text
    .split("\n")
    .some((line) => line.startsWith("+") && /\w/.test(mask(line.slice(1)).replace(/\[\w+\]/g, "")));
};

function plainChanges(changes: Changes): Changes {
  const names = plainNames(changes.files);
  const named = (path: string) => names.get(path) ?? path;
  const hunks = parsePatch(changes.patch).map((hunk) => {
    const path = named(hunk.path);
    return `--- a/${path}\n+++ b/${path}\n${plainHunk(hunk)}\n`;
  });
  return {
    ...changes,
    files: changes.files.map((file) => ({ ...file, path: named(file.path) })),
    patch: hunks.join(""),
  };
}

/** What the arm called its new files is its word; their kind stays. */
function plainNames(files: readonly ChangedFile[]): ReadonlyMap<string, string> {
  const added = files.filter(({ status }) => status === "added");
  return new Map(
    added.map(({ path }, index) => [
      path,
      `new-${index + 1}${/\.(?:test|spec)\.|test_/.test(path) ? ".test" : ""}${endingOf(path)}`,
    ]),
  );
}

/** An ending that is none of a known kind of file could be a word too. */
const endingOf = (path: string) => /\.[A-Za-z0-9]{1,5}$/.exec(path)?.[0] ?? "";

/** Lines that stay tell where a comment begins; only what the arm added is masked. */
function plainHunk({ path, text }: Hunk): string {
  const mask = wordMask(path);
  return text
    .split("\n")
    .map((line, index) => {
      if (index === 0 || line.startsWith("-") || line.startsWith("\\")) return line;
      const plain = mask(line.slice(1));
      return line.startsWith("+") ? `+${plain}` : line;
    })
    .join("\n");
}

function silent(decision: Decision): Decision {
  const quiet = { ...decision, summary: WITHHELD };
  switch (quiet.kind) {
    case "model_turn":
      return quiet.detail ? { ...quiet, detail: { ...quiet.detail, text: "" } } : quiet;
    case "tool_call":
      return quiet.detail ? { ...quiet, detail: { ...quiet.detail, input: WITHHELD, output: WITHHELD } } : quiet;
    case "policy_block":
      return quiet.detail ? { ...quiet, detail: { ...quiet.detail, input: WITHHELD } } : quiet;
    case "policy_violation":
      return quiet.detail ? { ...quiet, detail: { ...quiet.detail, subject: WITHHELD } } : quiet;
    case "error":
      return quiet.detail ? { ...quiet, detail: { ...quiet.detail, message: WITHHELD } } : quiet;
    default:
      return quiet;
  }
}
