import { posix } from "node:path";
import type { Decision } from "../../../domain/decision.ts";
import {
  eachKnownRun,
  type PlacedWord,
  RunReader,
  runsFrom,
  runsText,
  type WordRun,
  wordsIn,
} from "../../../domain/word-runs.ts";
import { Pace } from "../../../runtime/pace.ts";
import type { Case } from "../judge.ts";
import type { TextSpan } from "./identity-redactor.ts";

/** Stands where a judge would read of the files that an arm was given. */
const NOT_SHOWN = "[not shown]";

/** Keeps from a judge what the arms' own files are called, what is said in them, and what repeats an arm's own prompt. */
export interface HiddenNotes {
  /** What a judge is told of it, of both arms alike. */
  readonly told: readonly string[];
  /** The text without their names and words. */
  readonly text: (text: string) => string;
  /** A path without their names; its ending stays. */
  readonly path: (path: string) => string;
  /** Whether a step does nothing but read them. */
  readonly leavesOut: (decision: Decision) => boolean;
}

/**
 * One for both arms, so that nothing tells which of them was given what. Null when neither was given a file or a prompt of its own.
 * @param known texts that the judge reads anyway
 */
export async function hiddenNotes(
  { a, b, prompts = [] }: Pick<Case, "a" | "b" | "prompts">,
  known: readonly string[],
): Promise<HiddenNotes | null> {
  const notes = [a.summary.notes, b.summary.notes].flatMap((one) => one ?? []);
  if (notes.length === 0 && prompts.length === 0) return null;
  const files = new Set(notes.flatMap(({ paths }) => paths));
  const made = new Set(notes.flatMap((one) => one.made));
  const read = [...known, ...filesBefore(a), ...filesBefore(b)];
  const runs = await unknownRuns(
    notes.map((one) => one.runs),
    read,
  );
  const asked = await unknownRuns(prompts.map(runsTextOf), read);
  const names = notedNames([...files], [...made], known.join("\n"));
  const isNote = (path: string) => files.has(path) || beginnings(path).some((one) => made.has(one));
  const hide = (text: string) => {
    const found = [
      ...namedSpans(text, { names, isNote }),
      ...runSpans(text, runs, 1),
      ...runSpans(text, asked, QUOTED_WORDS),
    ];
    return found.length === 0 ? text : replaced(text, found);
  };
  return {
    told: [...(notes.length > 0 ? [FILES_HIDDEN] : []), ...(prompts.length > 0 ? [PROMPTS_HIDDEN] : [])],
    text: hide,
    path: (path) => (hide(path) === path ? path : NOT_SHOWN + posix.extname(path)),
    leavesOut: (decision) => readsOnly(decision, { names, isNote }),
  };
}

/** Told of both agents, also of one that was given none. */
const FILES_HIDDEN = "Files that an agent was given for itself, and what quotes them, are not shown.";
const PROMPTS_HIDDEN = "What repeats at length how an agent was asked is not shown.";

/** Words in a row that repeat a prompt. A shorter phrase may be what the prompt asks for: it is the agent's work. */
const QUOTED_WORDS = 12;

function runsTextOf(prompt: string): string {
  const reader = new RunReader();
  return runsText(prompt.split("\n").flatMap((line) => [...reader.line(line)]));
}

/** What both arms began with, where one of them changed it. */
const filesBefore = ({ summary: { changes } }: Case["a"]): readonly string[] =>
  (changes?.files ?? []).flatMap(({ before }) => before ?? []);

/** Characters of a known text that are read in one step. */
const STEP_CHARS = 16_000;
const READING_COST = 60;

async function unknownRuns(texts: readonly string[], known: readonly string[]): Promise<ReadonlySet<WordRun>> {
  const pace = new Pace();
  const runs = new Set<WordRun>();
  for (const text of texts) {
    for (const run of runsFrom(text)) runs.add(run);
    await pace.bytes(text.length);
  }
  for (const text of known)
    for (let at = 0; at < text.length; at += STEP_CHARS) {
      const part = text.slice(at, at + STEP_CHARS);
      eachKnownRun([...wordsIn(part)], runs, (_first, _count, run) => runs.delete(run));
      await pace.bytes(part.length * READING_COST);
    }
  return runs;
}

const beginnings = (path: string): readonly string[] => {
  const steps = path.split("/");
  return steps.map((_, index) => steps.slice(0, index + 1).join("/"));
};

/** The words of known runs, where at least so many stand in a row. */
function runSpans(text: string, runs: ReadonlySet<WordRun>, least: number): readonly TextSpan[] {
  if (runs.size === 0) return [];
  const words = [...wordsIn(text)];
  const hidden = new Set<PlacedWord>();
  eachKnownRun(words, runs, (first, count) => {
    for (const word of words.slice(first, first + count)) hidden.add(word);
  });
  const spans: TextSpan[] = [];
  let row: TextSpan[] = [];
  for (const word of [...words, null]) {
    if (word !== null && hidden.has(word)) row.push([word.start, word.end]);
    else {
      if (row.length >= least) spans.push(...row);
      row = [];
    }
  }
  return spans;
}

/** What stands between two hidden words goes with them, unless a line ends there. */
function replaced(text: string, spans: readonly TextSpan[]): string {
  const joined: [start: number, end: number][] = [];
  for (const [start, end] of spans.toSorted(([one], [other]) => one - other)) {
    const last = joined.at(-1);
    if (last && (start <= last[1] || /^(?:(?!\\[nr])[^\p{L}\p{N}\n]){0,12}$/u.test(text.slice(last[1], start))))
      last[1] = Math.max(last[1], end);
    else joined.push([start, end]);
  }
  const kept = joined.map(([start], index) => text.slice(joined[index - 1]?.[1] ?? 0, start) + NOT_SHOWN);
  return kept.join("") + text.slice(joined.at(-1)?.[1] ?? 0);
}

/** Commands that do nothing but show what files hold or are called. */
const READERS = /^(?:cat|head|tail|less|more|nl|ls|tree|find|grep|rg|wc|stat|file|sed\s+-n|pwd|echo|cd|test|true)\b/;

/** A call of a skill reads what a skill says, wherever that lies. A command may do more than it names. */
function readsOnly(decision: Decision, naming: Naming): boolean {
  if (decision.kind !== "tool_call" || !decision.detail) return false;
  const { input, tool, effect, skill } = decision.detail;
  const isNamed = () => skill !== undefined || !namedSpans(input, naming).next().done;
  if (effect === "read") return isNamed();
  if (tool !== "run_command") return skill !== undefined && effect !== "write";
  const command = commandIn(input);
  return command !== null && readsAlone(command) && isNamed();
}

const readsAlone = (command: string) => command.split(/&&|\|\|?|;|\n/).every((part) => READERS.test(part.trim()));

function commandIn(input: string): string | null {
  try {
    const given: unknown = JSON.parse(input);
    const command: unknown = Object(given).command;
    return typeof command === "string" ? command : null;
  } catch {
    return null;
  }
}

interface Names {
  /** Names of files and directories that mean nothing else, in small letters. */
  readonly telling: ReadonlySet<string>;
  /** Names of skills and commands that are words of the language, too, in small letters. */
  readonly plain: ReadonlySet<string>;
}

/** Which paths and names are to be found. */
interface Naming {
  readonly names: Names;
  readonly isNote: (path: string) => boolean;
}

/** Shorter ones are found in too much. */
const NAME_CHARS = 4;

function notedNames(files: readonly string[], made: readonly string[], known: string): Names {
  const bases = [...files, ...made].flatMap((path) => {
    const base = posix.basename(path);
    return [base, base.slice(0, base.length - posix.extname(base).length)];
  });
  const given = known.toLowerCase();
  const all = [...new Set(bases.map((name) => name.toLowerCase()))].filter(
    (name) => name.length >= NAME_CHARS && !given.includes(name),
  );
  const isTelling = (name: string) => /[^\p{L}]/u.test(name.replace(/^\./, "")) || name.startsWith(".");
  return { telling: new Set(all.filter(isTelling)), plain: new Set(all.filter((name) => !isTelling(name))) };
}

/** A path, or a name alone. */
const PATH = /[\p{L}\p{N}_.@+~-]+(?:\/+[\p{L}\p{N}_.@+~-]+)*/gu;
const STEP = /[^/]+/g;

function* namedSpans(text: string, { names, isNote }: Naming): Generator<TextSpan> {
  for (const { 0: path, index } of text.matchAll(PATH)) {
    const bare = path.replace(/[.-]+$/, "");
    if (tails(bare).some(isNote)) {
      yield [index, index + bare.length];
      continue;
    }
    for (const { 0: step, index: at } of bare.matchAll(STEP)) yield* spansOfStep(text, index + at, step, names);
  }
}

/** A name with its ending, or without. */
function* spansOfStep(text: string, start: number, step: string, { telling, plain }: Names): Generator<TextSpan> {
  for (const name of [step, step.replace(/\.\w+$/, "")].map((one) => one.toLowerCase())) {
    const end = start + name.length;
    if (telling.has(name) || (plain.has(name) && isIntroduced(text, start, end))) yield [start, end];
  }
}

/** A path as it would be from each of its first directories on: nobody knows where it starts. */
const tails = (path: string): readonly string[] => {
  const steps = path.split(/\/+/);
  return steps.slice(0, TAIL_STEPS).map((_, index) => steps.slice(index).join("/"));
};
const TAIL_STEPS = 12;

/** `the dates skill`, `skill: dates`, `/dates`: elsewhere it is an ordinary word. */
const isIntroduced = (text: string, start: number, end: number): boolean =>
  /(?:\b(?:skill|command)s?["'`:]{0,3}\s*["'`]?|[/])$/i.test(text.slice(Math.max(0, start - 16), start)) ||
  /^["'`]?\s+(?:skill|slash command|command)\b/i.test(text.slice(end, end + 20));
