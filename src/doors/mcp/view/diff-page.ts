import { type Static, Type } from "@sinclair/typebox";
import { ChangedFile, Changes } from "../../../domain/evidence.ts";
import { excerpt } from "../../../domain/excerpt.ts";
import { Count, nullable, record, Slug } from "../../../domain/schema.ts";
import type { ArmSummary } from "../../../domain/session.ts";
import { isUnknown } from "../../../domain/size-of.ts";
import { resultBytes, takeThatFits } from "../fit.ts";
import { pick } from "./pick.ts";

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

/** What the list of changed files may take of a page; the patch names all. */
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
  const count = files.length + files_left_out;
  const head = `${arm_id}: ${count} ${count === 1 ? "file" : "files"} changed, patch of ${lines} lines${more}`;
  const listed = files.length > 1 ? files.map(fileLine) : [];
  const unlisted = files_left_out > 0 ? [`- and ${files_left_out} more`] : [];
  return [head, ...listed, ...unlisted, patch].join("\n");
}

const fileLine = ({ path, status, added, removed, binary }: DiffView["files"][number]) =>
  `- ${status} ${path}: ${binary ? "binary" : `+${added} -${removed}`}`;
