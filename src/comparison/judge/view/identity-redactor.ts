import { RECIPES } from "../../../arms/recipe/recipes.ts";
import type { ChangedFile, Changes } from "../../../domain/evidence.ts";
import { globMatcher } from "../../../domain/path-glob.ts";
import type { ArmSummary } from "../../../domain/session.ts";
import { foldCharacters } from "./fold.ts";

/** Written in place of a name that would tell the judge who an arm is. */
const IDENTITY_MARK = "[identity removed]";

/** Shorter names are words of the language, unless they introduce somebody. Replacing them would spoil the text. */
const NAME_CHARS = 3;
const INTRODUCED_CHARS = 2;

/** Families and makers of models, and agents, whose names mean nothing else, with the version that follows. */
const FAMILIES =
  /\b(?:chat ?gpt|gpt|claude|gemini|gemma|llama|mistral|mixtral|deepseek|qwen|grok|openai|anthropic|deepmind|codex|copilot|opencode|cline)(?:[-.: ]?(?:\d[\w.]*|opus|sonnet|haiku|pro|flash|ultra|nano|mini|turbo|large|medium|small|instruct|coder|chat|code|cli)\b)*/gi;

/** Makers whose names mean other things too. */
const MAKERS = ["Google", "Meta", "Microsoft", "Amazon", "Alibaba", "xAI", "Cohere"];

interface Redaction {
  readonly text: string;
  /** Names replaced. */
  readonly count: number;
}

export type RedactIdentity = (text: string) => Redaction;

/**
 * Replaces the names of these models, of known families and of makers, however they are disguised. It is for narrative
 * text alone: in code a name can be the subject. A known family goes everywhere, and so does a name that cannot be an
 * everyday word: it has a digit, a hyphen, a slash, a dot, an underscore or a second word. A plain name goes where it
 * introduces somebody, and so do `words`, names that somebody here made up. Ids and titles of arms stay: no arm is told its own, so that in a text they are ordinary words.
 */
export function identityRedactor(models: readonly string[], words: readonly string[] = []): RedactIdentity {
  const distinct = named(models.filter(isDistinctive));
  const plain = named([...MAKERS, ...models.filter((name) => !isDistinctive(name)), ...words], INTRODUCED_CHARS);
  const patterns = [...(distinct ? [new RegExp(distinct, "giu")] : []), FAMILIES, introduction(plain, distinct)];
  return (text) => {
    const folded = foldCharacters(text);
    const found = patterns.flatMap((pattern) => [...folded.text.matchAll(pattern)]);
    const spans = merged(found.map(({ 0: name, index }) => folded.span(index, index + name.length)));
    return { text: replaced(text, spans), count: spans.length };
  };
}

const isDistinctive = (name: string) => /[-\d/._]|\S\s+\S/.test(name);

const WORD = "[\\p{L}\\p{N}_]";

/** Any of these names as whole words, longest first; "" when there is none. */
function named(names: readonly string[], least = NAME_CHARS): string {
  const distinct = [...new Set(names.map((name) => foldCharacters(name).text.trim()))].filter(
    ({ length }) => length >= least,
  );
  if (distinct.length === 0) return "";
  const longestFirst = distinct.sort((one, other) => other.length - one.length);
  const spelled = longestFirst.map((name) => name.split(/\s+/).map(RegExp.escape).join("[ \\n]"));
  return `(?<!${WORD})(?:${spelled.join("|")})(?!${WORD})`;
}

/** A plain name after words that introduce a speaker or a maker, or before words for a model. */
function introduction(name: string, distinct: string): RegExp {
  const made = "(?:trained|made|created|developed|built|powered|provided|hosted|served|offered) by";
  const lead = ["I am", "I['’]m", "my name is", made, ...(distinct ? [`${distinct} (?:by|from)`] : [])].join("|");
  const before = `(?<=\\b(?:${lead})[ \\n](?:an? |the )?${name})`;
  return new RegExp(`${name}(?:${before}|(?= (?:language )?(?:model|assistant)\\b))`, "giu");
}

export type TextSpan = readonly [start: number, end: number];

/** Sorts spans and joins those that overlap. */
function merged(spans: readonly TextSpan[]): TextSpan[] {
  const result: TextSpan[] = [];
  for (const [start, end] of spans.toSorted(([one], [other]) => one - other)) {
    const last = result.at(-1);
    if (last && start < last[1]) result[result.length - 1] = [last[0], Math.max(last[1], end)];
    else result.push([start, end]);
  }
  return result;
}

function replaced(text: string, spans: readonly TextSpan[]): string {
  const kept = spans.map(([start], index) => text.slice(spans[index - 1]?.[1] ?? 0, start) + IDENTITY_MARK);
  return kept.join("") + text.slice(spans.at(-1)?.[1] ?? 0);
}

const isNotePath = globMatcher(RECIPES.flatMap(({ notes }) => notes));

const AGENT_FOLDERS =
  /(?:\/home\/agent|~)\/\.(?:config|local\/share|cache)?\/?[\w.-]*|\/opt\/agent\b|\.(?:claude|codex|opencode|gemini|qwen|pi|continue|copilot|cline)\//g;

/** Paths of an agent's own files, which would tell its name, in what it reads and prints. */
export const withoutAgentPaths = (text: string): string => text.replace(AGENT_FOLDERS, "[its own files]/");

export interface BlindChanges {
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
export function withoutAgentNotes({ agent, imported, changes }: ArmSummary, prompt: string): BlindChanges {
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
