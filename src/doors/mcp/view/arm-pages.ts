import { type Static, Type } from "@sinclair/typebox";
import { DECISION_DETAILS, DECISION_KINDS, DECISION_STEP, type Decision } from "../../../domain/decision.ts";
import { ChangedFile, Changes } from "../../../domain/evidence.ts";
import { excerpt } from "../../../domain/excerpt.ts";
import { counted } from "../../../domain/number-text.ts";
import { Count, nullable, oneOf, record, Slug } from "../../../domain/schema.ts";
import type { ArmSummary } from "../../../domain/session.ts";
import { isUnknown } from "../../../domain/size-of.ts";
import { clipTexts, resultBytes, takeThatFits } from "../fit.ts";
import { pick } from "./pick.ts";

const STEP = ["seq", "summary", "tokens_in", "tokens_out", "latency_ms", "at"] as const;

/** A decision in a shorter schema, which does not say which detail goes with which kind. */
const ShownDecision = Type.Unsafe<Decision>(
  record("ShownDecision", {
    ...pick(DECISION_STEP, STEP),
    kind: oneOf(DECISION_KINDS),
    detail: Type.Optional(Type.Union([...new Set(Object.values(DECISION_DETAILS))])),
  }),
);

export const DecisionsPage = record("DecisionsPage", {
  arm_id: Slug(),
  total: Count("Decisions in the arm's log so far."),
  decisions: Type.Array(ShownDecision, {
    description: "Cut to fit: first long texts, then detail; ask for fewer to see more of each.",
  }),
  next_after_seq: nullable(Type.Integer(), { description: "Pass as after_seq for the next page; null: no more now." }),
});
export type DecisionsPage = Static<typeof DecisionsPage>;

interface PageRequest {
  readonly after_seq: number;
  readonly limit: number;
  /** Characters that a text may keep. */
  readonly chars: number;
  /** False: the steps only, without what was said, called and printed. */
  readonly detail: boolean;
  /** Bytes that the page may have; at least one decision is given. */
  readonly bytes: number;
}

export function pageDecisions(arm_id: string, log: readonly Decision[], page: PageRequest): DecisionsPage {
  const asked = log.filter(({ seq }) => seq > page.after_seq).slice(0, page.limit);
  const decisions = takeThatFits(
    asked.map((decision) => clipTexts(page.detail ? decision : withoutDetail(decision), page.chars)),
    page.bytes,
  );
  const last = decisions.at(-1)?.seq;
  const more = last !== undefined && last < (log.at(-1)?.seq ?? 0);
  return { arm_id, total: log.length, decisions: [...decisions], next_after_seq: more ? last : null };
}

const withoutDetail = (decision: Decision): Decision => ({ ...pick(decision, STEP), kind: decision.kind });

export function decisionsText({ arm_id, total, decisions, next_after_seq }: DecisionsPage): string {
  const more = next_after_seq === null ? "" : `; more with arm_id "${arm_id}", after_seq ${next_after_seq}`;
  return [`${arm_id}: ${decisions.length} of ${total} decisions${more}`, ...decisions.map(wholeLine)].join("\n");
}

/** The line of a step with what it took, and with its detail where the page has one. */
function wholeLine(decision: Decision): string {
  const { tokens_in, tokens_out, latency_ms, detail } = decision;
  const tokens = tokens_in + tokens_out > 0 ? `, ${tokens_in} tokens in, ${tokens_out} out` : "";
  return `${decisionLine(decision)} (${latency_ms} ms${tokens})${detail ? `\n${JSON.stringify(detail)}` : ""}`;
}

export const decisionLine = ({ seq, kind, summary }: Decision) => `#${seq} ${kind}: ${summary}`;

/** What is told of a changed file, beside its text. */
export const FILE_FACTS = ["path", "status", "added", "removed", "binary"] as const;

/** Longer lines are cut: minified files would fill a page each. */
const LINE_CHARS = 2_000;

export const DiffView = record("DiffPage", {
  arm_id: Slug(),
  files: Type.Array(record("ChangedFileFacts", pick(ChangedFile.properties, FILE_FACTS))),
  unknown: Changes.properties.unknown,
  files_left_out: Count("Changed files beyond those listed."),
  lines: Count("Lines of the whole patch."),
  patch: Type.String({ description: "Unified diff against the fixture, from line after_seq + 1 on." }),
  next_after_seq: nullable(Type.Integer(), { description: "Pass as after_seq for the next lines; null: no more." }),
});
export type DiffView = Static<typeof DiffView>;

/** The share of a page for the list of changed files; the patch names all files. */
const FILES_SHARE = 0.25;

interface LineRequest {
  readonly after_seq: number;
  readonly limit: number;
  readonly bytes: number;
}

/** Null until the arm has been examined. */
export function pageDiff({ arm_id, changes }: ArmSummary, { after_seq, limit, bytes }: LineRequest): DiffView | null {
  if (changes === null) return null;
  const facts = changes.files.map((file) => pick(file, FILE_FACTS));
  const files = [...takeThatFits(facts, bytes * FILES_SHARE)];
  const lines = changes.patch === "" ? [] : changes.patch.replace(/\n$/, "").split("\n");
  const asked = lines.slice(after_seq, after_seq + limit).map((line) => excerpt(line, LINE_CHARS));
  const shown = takeThatFits(asked, bytes - resultBytes(files));
  const end = after_seq + shown.length;
  return {
    arm_id,
    files,
    ...(isUnknown(changes) && { unknown: changes.unknown }),
    files_left_out: changes.files.length - files.length,
    lines: lines.length,
    patch: shown.join("\n"),
    next_after_seq: shown.length > 0 && end < lines.length ? end : null,
  };
}

export function diffText({ arm_id, files, unknown, files_left_out, lines, patch, next_after_seq }: DiffView): string {
  if (typeof unknown === "string") return `${arm_id}: what it changed is not known. ${unknown}`;
  const more = next_after_seq === null ? "" : `; more with arm_id "${arm_id}", after_seq ${next_after_seq}`;
  const head = `${arm_id}: ${counted(files.length + files_left_out, "file")} changed, patch of ${lines} lines${more}`;
  const listed = files.length > 1 ? files.map(fileLine) : [];
  const unlisted = files_left_out > 0 ? [`- and ${files_left_out} more`] : [];
  return [head, ...listed, ...unlisted, patch].join("\n");
}

const fileLine = ({ path, status, added, removed, binary }: DiffView["files"][number]) =>
  `- ${status} ${path}: ${binary ? "binary" : `+${added} -${removed}`}`;
