import { BYTES_PER_TOKEN } from "../../domain/defaults.ts";
import { excerpt } from "../../domain/excerpt.ts";
import { type Answer, protocolResult } from "./tool.ts";

/** Bytes of one result: about 8,000 tokens, so that an answer leaves room in a model's context. */
export const RESULT_BYTES = 8_000 * BYTES_PER_TOKEN;

export const resultBytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** Bytes of the answer as it goes over the wire, data and text. */
const answerBytes = (answer: Answer) => resultBytes(protocolResult(answer));

/** The first version that fits a result; the last when none does. Versions go from full to bare. */
export function fullestThatFits<Level, Version extends Answer>(
  levels: readonly [Level, ...Level[]],
  make: (level: Level) => Version,
): Version {
  const [fullest, ...rest] = levels;
  return rest.reduce((version, level) => (answerBytes(version) <= RESULT_BYTES ? version : make(level)), make(fullest));
}

/** Characters that a text may keep, from all to few. Ids, digests and quotes are shorter than the smallest. */
export const CLIPS: readonly [number, ...number[]] = [Number.POSITIVE_INFINITY, 2_000, 800, 300, 160];

/** Texts that a list keeps when texts are cut. A last entry says how many are missing. */
const LISTED = 20;

/** The same value with every text cut to head and tail, about `chars` long. Lists of texts are cut too. */
export function clipTexts<T>(value: T, chars: number): T {
  return clipped(value, chars) as T; // only texts change, and stay texts
}

function clipped(value: unknown, chars: number): unknown {
  if (typeof value === "string") return excerpt(value, chars);
  if (Array.isArray(value)) return shortList(value, chars).map((item) => clipped(item, chars));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, clipped(item, chars)]));
}

function shortList(list: readonly unknown[], chars: number): readonly unknown[] {
  const isShort = list.length <= LISTED || !Number.isFinite(chars) || typeof list[0] !== "string";
  return isShort ? list : [...list.slice(0, LISTED), `[... ${list.length - LISTED} more ...]`];
}

/** The first items that fit into `bytes`, at least one, so that a reader always advances. */
export function takeThatFits<T>(items: readonly T[], bytes: number): readonly T[] {
  let used = 0;
  const end = items.findIndex((item, index) => {
    used += resultBytes(item) + 1;
    return index > 0 && used > bytes;
  });
  return end === -1 ? items : items.slice(0, end);
}
