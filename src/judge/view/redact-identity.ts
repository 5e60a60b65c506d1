/** Written where a name stood that would tell the judge who an arm is. */
const IDENTITY_MARK = "[identity removed]";

/** Shorter arm ids are words of the language; replacing them would maul the text. */
const NAME_CHARS = 3;

/** Model families and their makers, with the version that follows. */
const FAMILIES =
  /\b(?:chat ?gpt|gpt|claude|gemini|gemma|llama|mistral|mixtral|deepseek|qwen|grok|openai|anthropic|deepmind)(?:[-.: ]?(?:\d[\w.]*|opus|sonnet|haiku|pro|flash|ultra|nano|mini|turbo|large|medium|small|instruct|coder|chat)\b)*/gi;

const MAKER = /\b(?:trained|made|created|developed|built) by (?:Google|Meta|Microsoft|Amazon|Alibaba|xAI|Cohere)\b/gi;

interface Redaction {
  readonly text: string;
  /** Names replaced. */
  readonly count: number;
}

export type RedactIdentity = (text: string) => Redaction;

/** Replaces these names, and known model families, in narrative text. Never for code: there a name may be the subject. */
export function identityRedactor(names: readonly string[]): RedactIdentity {
  const patterns = [...namePatterns(names), MAKER, FAMILIES];
  return (text) => {
    let count = 0;
    const mark = () => {
      count += 1;
      return IDENTITY_MARK;
    };
    return { text: patterns.reduce((result, pattern) => result.replace(pattern, mark), text), count };
  };
}

/** Longest first, so that a model's whole reference goes before its parts. */
function namePatterns(names: readonly string[]): RegExp[] {
  const distinct = [...new Set(names.map((name) => name.trim()))].filter(({ length }) => length >= NAME_CHARS);
  if (distinct.length === 0) return [];
  const longestFirst = distinct.sort((one, other) => other.length - one.length).map(RegExp.escape);
  return [new RegExp(`(?<![\\p{L}\\p{N}_])(?:${longestFirst.join("|")})(?![\\p{L}\\p{N}_])`, "giu")];
}
