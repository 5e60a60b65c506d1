import { Failure } from "../../../domain/failure.ts";
import { ANY_STEPS, type Rule, ruleOf } from "./gitignore-rules.ts";

/**
 * Names that never count as work, wherever they are: what version control, package managers, test runners and type checkers
 * leave behind. Not what a tool makes only when asked by name, such as a coverage report or a build.
 */
const NEVER_WORK = new Set([
  ".git",
  "node_modules",
  "__pycache__",
  ".venv",
  ".pytest_cache",
  ".mypy_cache",
  ".ruff_cache",
  ".hypothesis",
  ".tox",
  ".coverage",
  ".nyc_output",
]);

/** What Python leaves of a module. */
const COMPILED = /\.py[co]$/;

const isNeverWorkName = (name: string): boolean => NEVER_WORK.has(name) || COMPILED.test(name);

/** Characters of a rule, and of all rules of a fixture: each path is compared with each of them. */
const RULE_CHARS = 1_000;
const RULES_CHARS = 100_000;

/** Characters of rules that are compared with a name in the time of one unit of `Pace`. */
const UNIT_CHARS = 500;

/** Directories about which the rules were asked that are remembered. */
const MAX_REMEMBERED = 500;

/** Tells whether a path counts as an arm's work. */
export interface IsIgnored {
  (path: string, isDirectory: boolean): boolean;
  /** What an answer takes, in units of `Pace`. */
  readonly units: number;
}

/**
 * By the fixture's own .gitignore files, which an arm may edit without effect here.
 * Time of an answer: the length of the rules times that of a name, whatever the depth, where paths are asked about in the
 * order of a walk.
 * @param gitignores their text by the directory they lie in, "" for the top
 * @throws Failure `workspace_failed` when the rules are too long
 */
export function ignoredBy(gitignores: ReadonlyMap<string, string>): IsIgnored {
  const lines = new Map([...gitignores].map(([directory, text]) => [directory, ruleLines(text)]));
  const chars = allowedChars(lines);
  const book = new RuleBook(new Map([...lines].map(([directory, list]) => [directory, list.map(ruleOf)])));
  return Object.assign((path: string, isDirectory: boolean) => book.ignores(path, isDirectory), {
    units: chars / UNIT_CHARS,
  });
}

/** The lines of a .gitignore file that are rules, each without what surrounds it. */
const ruleLines = (text: string): readonly string[] =>
  text
    .replace(/^\ufeff/, "")
    .split(/\r?\n/)
    .filter((line) => !line.startsWith("#"))
    .map(withoutTrailingSpaces)
    .filter((line) => line !== "");

/** An escaped space stays. */
function withoutTrailingSpaces(line: string): string {
  let end = line.length;
  while (line[end - 1] === " ") end -= 1;
  if (end === line.length) return line;
  let escapes = 0;
  while (line[end - 1 - escapes] === "\\") escapes += 1;
  return line.slice(0, escapes % 2 === 1 ? end + 1 : end);
}

/** The characters that all rules together may have. */
function allowedChars(lines: ReadonlyMap<string, readonly string[]>): number {
  let chars = 0;
  for (const [directory, list] of lines) {
    const file = directory === "" ? ".gitignore" : `${directory}/.gitignore`;
    for (const { length } of list) {
      chars += length;
      if (length <= RULE_CHARS && chars <= RULES_CHARS) continue;
      const [which, limit] = length > RULE_CHARS ? ["a rule", RULE_CHARS] : ["the rules up to this file", RULES_CHARS];
      throw new Failure(
        "workspace_failed",
        `${file} of the fixture: ${which} of more than ${limit} characters; remove what the fixture does not need`,
      );
    }
  }
  return chars;
}

export const isNeverWork = (path: string): boolean => path.split("/").some(isNeverWorkName);

/** A part of a rule that the next step of a path is compared with. */
interface Position {
  readonly rule: Rule;
  readonly part: Rule["pattern"][number];
  /** Undefined: what fits this part fits the rule. */
  readonly next: Position | undefined;
}

/** What the rules say of the entries of one directory. */
interface DirectoryRules {
  readonly ignored: boolean;
  /** The positions in the order in which their rules overrule each other; those of one rule stay in its own order. */
  readonly positions: readonly Position[];
}

const IGNORED: DirectoryRules = { ignored: true, positions: [] };

/** Goes forward in all rules at once, a directory at a time, so that nothing is tried twice. */
class RuleBook {
  readonly #starts: ReadonlyMap<string, readonly Position[]>;
  readonly #remembered = new Map<string, DirectoryRules>();

  /** @param rules by the directory that they are for */
  constructor(rules: ReadonlyMap<string, readonly Rule[]>) {
    this.#starts = new Map([...rules].map(([directory, list]) => [directory, list.flatMap(startOf)]));
  }

  ignores(path: string, isDirectory: boolean): boolean {
    const { directory, name } = parted(path);
    return isIgnoredIn(this.#rulesOf(directory), name, isDirectory);
  }

  #rulesOf(directory: string): DirectoryRules {
    const known = this.#remembered.get(directory);
    if (known) return known;
    const rules = this.#entered(directory);
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(directory, rules);
    return rules;
  }

  #entered(path: string): DirectoryRules {
    const own = this.#starts.get(path) ?? [];
    if (path === "") return { ignored: false, positions: own };
    const { directory, name } = parted(path);
    const parent = this.#rulesOf(directory);
    if (isIgnoredIn(parent, name, true)) return IGNORED;
    const positions = advanced(parent.positions, name);
    // A deeper file overrules a higher one.
    return { ignored: false, positions: own.length === 0 ? positions : [...positions, ...own] };
  }
}

function parted(path: string): { readonly directory: string; readonly name: string } {
  const slash = path.lastIndexOf("/");
  return { directory: path.slice(0, Math.max(slash, 0)), name: path.slice(slash + 1) };
}

/** The last rule that fits decides. What lies in an ignored directory is ignored, whatever the rules say of itself. */
function isIgnoredIn({ ignored, positions }: DirectoryRules, name: string, isDirectory: boolean): boolean {
  if (ignored || isNeverWorkName(name)) return true;
  const decisive = positions.findLast(({ rule, part, next }) => {
    if (next || part === ANY_STEPS || (rule.only_directories && !isDirectory)) return false;
    return part(name);
  });
  return decisive !== undefined && !decisive.rule.negated;
}

const startOf = (rule: Rule): readonly Position[] =>
  from(rule.pattern.reduceRight<Position | undefined>((next, part) => ({ rule, part, next }), undefined));

/** `ANY_STEPS` may take no step. */
function from(position: Position | undefined): readonly Position[] {
  if (!position) return [];
  return position.part === ANY_STEPS && position.next ? [position, position.next] : [position];
}

function advanced(positions: readonly Position[], name: string): readonly Position[] {
  const ahead: Position[] = [];
  const add = (position: Position) => {
    // Two positions of a rule that lead to the same one follow each other.
    if (ahead.at(-1) !== position && ahead.at(-2) !== position) ahead.push(position);
  };
  for (const position of positions) {
    if (position.part === ANY_STEPS) from(position).forEach(add);
    else if (position.next && position.part(name)) from(position.next).forEach(add);
  }
  // Most directories change nothing, and share one list.
  const isSame = ahead.length === positions.length && ahead.every((position, at) => position === positions[at]);
  return isSame ? positions : ahead;
}
