import { RECIPES } from "../../../arms/recipe/recipes.ts";
import type { ChangedFile, Changes } from "../../../domain/evidence.ts";
import { globMatcher } from "../../../domain/path-glob.ts";
import type { ArmSummary } from "../../../domain/session.ts";

const isNotePath = globMatcher(RECIPES.flatMap(({ notes }) => notes));

const AGENT_FOLDERS =
  /(?:\/home\/agent|~)\/\.(?:config|local\/share|cache)?\/?[\w.-]*|\/opt\/agent\b|\.(?:claude|codex|opencode|gemini|qwen|pi|continue|copilot|cline)\//g;

/** Paths of an agent's own files, which would tell its name, in what it reads and prints. */
export const withoutAgentPaths = (text: string): string => text.replace(AGENT_FOLDERS, "[its own files]/");

export interface ToldChanges {
  readonly changes: Changes | null;
  /** Files that the agent wrote for itself, and that the judge is not shown. */
  readonly notes: ReadonlySet<string>;
  /** Something in the change tells who the agent is. */
  readonly tells: boolean;
}

/**
 * The change of an external agent without the notes that it added for itself, as CLAUDE.md. A file that the task names is
 * part of the work.
 */
export function withoutAgentNotes({ agent, imported, changes }: ArmSummary, prompt: string): ToldChanges {
  if ((agent === undefined && imported === undefined) || changes === null)
    return { changes, notes: new Set(), tells: false };
  const isNote = ({ status, path }: ChangedFile) =>
    status === "added" && isNotePath(path) && !prompt.includes(path.slice(path.lastIndexOf("/") + 1));
  const notes = new Set(changes.files.filter(isNote).map(({ path }) => path));
  const files = changes.files.filter(({ path }) => !notes.has(path));
  return { changes: { ...changes, files }, notes, tells: notes.size > 0 || SIGNATURE.test(changes.patch) };
}

/** A line that agents add to what they commit. */
const SIGNATURE = /^\+.{0,200}co-authored-by:/im;
