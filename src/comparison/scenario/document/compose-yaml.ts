import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type Node,
  type Pair,
  Parser,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { breathe } from "../../../runtime/pace.ts";
import { type FieldPath, type Problem, Problems } from "../authored/problems.ts";

/** Where a value begins and where those in it do: character offsets, absent where nothing is written. */
export interface Place {
  readonly at?: number;
  /** Only an entry of a map has one. */
  readonly key?: string;
  readonly key_at?: number;
  readonly within?: readonly Place[];
}

/** What a text in YAML holds, as JSON can say it. */
export interface YamlReading {
  /** Plain data: maps, lists, text, numbers, booleans, null. Absent when the text is not YAML; the problems say why. */
  readonly value?: unknown;
  readonly found: readonly Problem[];
  readonly place: Place;
}

/** Deeper than any scenario. The limit keeps the recursive readers from overflowing the stack. */
const MAX_DEPTH = 50;

/** Enough for some thousand lines of a scenario. A long text is one part, however many lines it has. */
const MAX_PARTS = 50_000;

/** Parts that are read before others have their turn: some milliseconds. */
const PARTS_AT_ONCE = 500;

const OVERFLOW = "Maximum call stack";

const CORE_TAGS = /^tag:yaml\.org,2002:(?:str|int|float|bool|null|map|seq)$/;

/**
 * Reads YAML 1.2 without the parts that surprise: no aliases, merge keys, tags, directives or repeated keys. The library's
 * own check for repeated keys takes quadratic time, so it is off. Ours is linear and knows the place of each repeated key.
 */
export async function composeYaml(text: string): Promise<YamlReading> {
  const directive = /^%/m.exec(text);
  if (directive) return unreadable("directives are not supported; remove this line", directive.index);
  const { tokens, excess } = await tokensOf(text);
  if (excess) return unreadable(excess.message, text.lastIndexOf("\n", excess.offset - 1) + 1);
  const composer = new Composer({ uniqueKeys: false, merge: false, prettyErrors: false, logLevel: "error" });
  const [document, second] = composer.compose(tokens, true, text.length) as Iterable<Document> as [Document, Document?]; // it forces one
  // To compose takes some milliseconds, and so does reading it.
  await breathe();
  const problems = new Problems();
  const errors = [...document.errors, ...(second?.range ? [{ message: SECOND_DOCUMENT, pos: second.range }] : [])];
  tellErrors(errors, problems);
  return {
    ...(errors.length === 0 && { value: new Reader(problems).read(document.contents, [], undefined) }),
    found: problems.found,
    place: placeIn(document.contents, document.contents, 0),
  };
}

interface SyntaxFault {
  readonly message: string;
  readonly pos: readonly [start: number, ...number[]];
}

const SECOND_DOCUMENT = "a second document begins; a scenario file holds one";

/** Syntax errors that are shown. One wrong indentation causes a dozen, of which only the first is the cause. */
const MAX_SYNTAX_ERRORS = 3;

function tellErrors(errors: readonly SyntaxFault[], problems: Problems): void {
  // Errors after the place where the parser gave up only say that the rest is missing.
  const end = errors.findIndex(({ message }) => message.startsWith(OVERFLOW)) + 1;
  const meant = errors.slice(0, end || errors.length).toSorted((a, b) => a.pos[0] - b.pos[0]);
  const shown = meant.slice(0, MAX_SYNTAX_ERRORS);
  const left = meant.length - shown.length;
  for (const [index, { message, pos }] of shown.entries()) {
    const isLast = index === shown.length - 1;
    const more = isLast && left > 0 ? ` (and ${left} more, which may follow from the first)` : "";
    problems.add([], inWords(message) + more, { offset: pos[0] });
  }
}

/** The parser's tokens, or what would keep it busy for seconds. The lexer is lazy, so it reads no further than the limit. */
async function tokensOf(text: string) {
  const tokens: CST.Token[] = [];
  const parser = new Parser();
  let [offset, parts, depth] = [0, 0, 0];
  let isScalar = false;
  for (const lexeme of new Lexer().lex(text)) {
    parts += 1;
    if (parts > MAX_PARTS)
      return {
        tokens,
        excess: {
          message: `has more than ${MAX_PARTS} keys, values and signs; a long table goes into a .csv or .jsonl file`,
          offset,
        },
      };
    depth += isScalar ? 0 : (STEPS.get(lexeme) ?? 0);
    if (depth > 2 * MAX_DEPTH) return { tokens, excess: { message: "nested too deeply", offset } };
    isScalar = lexeme === SCALAR_FOLLOWS;
    if (!MARKS.has(lexeme)) offset += lexeme.length;
    tokens.push(...parser.next(lexeme));
    if (parts % PARTS_AT_ONCE === 0) await breathe();
  }
  tokens.push(...parser.end());
  return { tokens, excess: undefined };
}

/** How much lists and maps in brackets change the depth. */
const STEPS: ReadonlyMap<string, number> = new Map([
  ["[", 1],
  ["{", 1],
  ["]", -1],
  ["}", -1],
]);

/** The lexer's own control characters. A byte order mark is one of them and is removed before. */
const SCALAR_FOLLOWS = "\x1f";
const MARKS: ReadonlySet<string> = new Set(["\x02", "\x18", SCALAR_FOLLOWS]);

export function unreadable(message: string, offset: number): YamlReading {
  return { found: [{ path: [], message, at: "value", offset }], place: {} };
}

function inWords(message: string): string {
  if (message === SECOND_DOCUMENT) return message;
  if (message.startsWith(OVERFLOW)) return "nested too deeply";
  // The mistake that is made most often, in the parser's words, which name no cure.
  const cure = message.startsWith("Nested mappings") ? '; a text with ": " in it needs quotes' : "";
  return `not valid YAML: ${message.charAt(0).toLowerCase()}${message.slice(1)}${cure}`;
}

class Reader {
  readonly #problems: Problems;

  constructor(problems: Problems) {
    this.#problems = problems;
  }

  read(node: unknown, path: FieldPath, parent: Node | undefined): unknown {
    if (node === null || node === undefined) return null;
    if (path.length > MAX_DEPTH) return this.#refuse(path, "nested too deeply", parent);
    if (isAlias(node))
      return this.#refuse(path, `aliases (*${node.source}) are not supported; write the value out`, node);
    if (isScalar(node) || isMap(node) || isSeq(node)) return this.#content(node, path);
    return this.#refuse(path, "expected a value, got a map entry", parent);
  }

  #content(node: Scalar | YAMLMap | YAMLSeq, path: FieldPath): unknown {
    if (node.tag !== undefined && !CORE_TAGS.test(node.tag))
      return this.#refuse(path, `tags (${node.tag}) are not supported; write a plain value`, node);
    if (isScalar(node)) return this.#scalar(node, path);
    if (isMap(node)) return this.#map(node.items, path, node);
    return node.items.map((item, index) => this.read(item, [...path, index], node));
  }

  #scalar(node: Scalar, path: FieldPath): unknown {
    const { value } = node;
    if (typeof value !== "number" || Number.isFinite(value)) return value;
    return this.#refuse(path, `expected a finite number, got ${value}; a text needs quotes`, node);
  }

  #map(pairs: readonly Pair[], path: FieldPath, node: Node): Record<string, unknown> {
    const value: Record<string, unknown> = {};
    const seen = new Set<string>();
    for (const pair of pairs) {
      const key = keyOf(pair);
      if (key === undefined) this.#refuse(path, isMap(pair.key) ? UNQUOTED : "a key must be plain text", pair.key);
      else if (key === "__proto__") this.#refuse([...path, key], "cannot be used as a key", pair.key);
      else if (seen.has(key)) this.#repeated([...path, key], pair.key);
      else {
        seen.add(key);
        value[key] = this.read(pair.value, [...path, key], node);
      }
    }
    return value;
  }

  #repeated(path: FieldPath, key: unknown): void {
    this.#problems.add(path, "is given twice in the same map; keep one", {
      at: "key",
      harmless: true,
      ...placeOf(key),
    });
  }

  #refuse(path: FieldPath, message: string, node: unknown): null {
    this.#problems.add(path, message, placeOf(node));
    return null;
  }
}

const UNQUOTED = 'a key must be plain text; a text that begins with {{ needs quotes, such as "{{question}}"';

/** Numbers and booleans as keys keep their spelling: `0:` is the key "0". */
function keyOf({ key }: Pair): string | undefined {
  if (!isScalar(key) || key.value === null || key.tag !== undefined) return undefined;
  return typeof key.value === "string" ? key.value : (key.source ?? String(key.value));
}

const placeOf = (node: unknown): { offset?: number } => {
  const offset = startOf(node);
  return offset === undefined ? {} : { offset };
};

function startOf(node: unknown): number | undefined {
  if (isScalar(node) || isMap(node) || isSeq(node) || isAlias(node)) return node.range?.[0];
  return undefined;
}

/** Where nothing is written after a key, an error can point only at the key. */
function placeIn(node: unknown, key: unknown, depth: number): Place {
  const at = startOf(isEmpty(node) ? key : node);
  const within = depth > MAX_DEPTH ? [] : partsOf(node, depth + 1);
  return { ...(at !== undefined && { at }), ...(within.length > 0 && { within }) };
}

function partsOf(node: unknown, depth: number): readonly Place[] {
  if (isSeq(node)) return node.items.map((item) => placeIn(item, item, depth));
  if (!isMap(node)) return [];
  return node.items.map((pair) => {
    const [key, key_at] = [keyOf(pair), startOf(pair.key)];
    return {
      ...placeIn(pair.value, pair.key, depth),
      ...(key !== undefined && { key }),
      ...(key_at !== undefined && { key_at }),
    };
  });
}

const isEmpty = (node: unknown) => node === null || (isScalar(node) && node.value === null && !node.source);
