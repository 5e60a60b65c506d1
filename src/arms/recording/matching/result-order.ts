import { canonicalJson } from "../../../domain/canonical-json.ts";
import { asRecord, asText, type LooseRecord } from "../../../domain/lenient.ts";

/**
 * Results of calls that were made at once stand in a conversation as they were done. Puts those that stand side by side in the order of
 * their calls' ids; everything else stays where it is.
 */
export function inResultOrder<T>(
  items: readonly T[],
  idOf: (item: T) => string | undefined,
  textOf: (item: T) => string,
): T[] {
  const ordered: T[] = [];
  let run: { readonly item: T; readonly id: string }[] = [];
  const endRun = () => {
    const isUnclear = new Set(run.map(({ id }) => id)).size < run.length;
    const keyed = run.map(({ item, id }) => ({ item, key: isUnclear ? `${id} ${textOf(item)}` : id }));
    for (const { item } of keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))) ordered.push(item);
    run = [];
  };
  for (const item of items) {
    const id = idOf(item);
    if (id !== undefined) run.push({ item, id });
    else {
      endRun();
      ordered.push(item);
    }
  }
  endRun();
  return ordered;
}

/** A message with its results in order. */
export function withResultsInOrder(message: unknown): unknown {
  const record = asRecord(message);
  const field = BLOCKS.find((name) => Array.isArray(record?.[name]));
  if (record === undefined || field === undefined) return message;
  return { ...record, [field]: inResultOrder(blocksIn(record, field), idOfResult, canonicalJson) };
}

/** The id of the call that a message, an item or a block reports on; undefined when it does more or something else. */
export function idOfResult(value: unknown): string | undefined {
  const record = asRecord(value) ?? {};
  const own = ownId(record);
  if (own !== undefined) return own;
  const blocks = BLOCKS.flatMap((field) => blocksIn(record, field)).map((block) => ownId(asRecord(block) ?? {}));
  return blocks.length > 0 && blocks.every((id) => id !== undefined) ? blocks[0] : undefined;
}

/** Where a message has its blocks: Anthropic's, Gemini's. */
const BLOCKS = ["content", "parts"];

const blocksIn = (record: LooseRecord, field: string): readonly unknown[] => {
  const blocks = record[field];
  return Array.isArray(blocks) ? blocks : [];
};

function ownId(record: LooseRecord): string | undefined {
  const { type, role } = record;
  const response = asRecord(record["functionResponse"] ?? record["function_response"]);
  if (response !== undefined) return asText(response["id"]) ?? asText(response["name"]) ?? "";
  if (type === "tool_result") return asText(record["tool_use_id"]) ?? "";
  if (role === "tool") return asText(record["tool_call_id"]) ?? "";
  return asText(type)?.endsWith("_call_output") ? (asText(record["call_id"]) ?? "") : undefined;
}
