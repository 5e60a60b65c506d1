import { asRecord, asRecords, type LooseRecord } from "../../domain/lenient.ts";

/** A body, and what was taken out of it. */
export interface Fenced {
  readonly body: LooseRecord;
  readonly removed: readonly string[];
}

export type Fence = (body: LooseRecord) => Fenced;

/** One after the other. */
export const fences =
  (...steps: readonly Fence[]): Fence =>
  (body) =>
    steps.reduce<Fenced>(
      (before, step) => {
        const after = step(before.body);
        return { body: after.body, removed: [...before.removed, ...after.removed] };
      },
      { body, removed: [] },
    );

export const withoutFields =
  (...fields: readonly string[]): Fence =>
  (body) => ({
    body: Object.fromEntries(Object.entries(body).filter(([field]) => !fields.includes(field))),
    removed: fields.filter((field) => body[field] != null),
  });

/** What becomes of one tool: itself, less of it, or nothing. */
export type FenceTool = (tool: LooseRecord) => {
  readonly tool: LooseRecord | null;
  readonly removed: readonly string[];
};

/** Without tools there is no choice among them. */
export const fenceTools =
  (fenceTool: FenceTool): Fence =>
  (body) => {
    if (body["tools"] == null) return { body, removed: [] };
    const fenced = asRecords(body["tools"]).map(fenceTool);
    const removed = fenced.flatMap((one) => one.removed);
    const tools = fenced.flatMap(({ tool }) => tool ?? []);
    if (tools.length > 0) return { body: { ...body, tools }, removed };
    const { tools: _, tool_choice: __, toolConfig: ___, tool_config: ____, ...rest } = body;
    return { body: rest, removed };
  };

/** Levels of content within content: a result of a document of blocks has six. */
const LEVELS = 16;

/** Fields of messages in which content stands. Inputs of calls are none: what they say is up to their tool. */
const CONTENT_FIELDS: readonly string[] = [
  "content",
  "output",
  "parts",
  "source",
  "functionResponse",
  "function_response",
];

/** Content which the provider would fetch becomes a text that says so. `field` has the conversation. */
export const withoutAddresses =
  (field: string): Fence =>
  (body) => {
    const removed: string[] = [];
    if (body[field] == null) return { body, removed };
    return { body: { ...body, [field]: fenceContent(body[field], 0, removed) }, removed };
  };

function fenceContent(content: unknown, level: number, removed: string[]): unknown {
  if (level > LEVELS) return null;
  if (Array.isArray(content)) return content.map((item) => fenceContent(item, level + 1, removed));
  const block = asRecord(content);
  if (block === undefined) return content;
  const instead = insteadOf(block);
  if (instead !== undefined) removed.push("content at an address");
  return instead ?? mapContent(block, (inner) => fenceContent(inner, level + 1, removed));
}

const mapContent = (block: LooseRecord, change: (content: unknown) => unknown): LooseRecord =>
  Object.fromEntries(
    Object.entries(block).map(([field, value]) => [field, CONTENT_FIELDS.includes(field) ? change(value) : value]),
  );

const TEXT = "[This was at an address. The network is closed, so it was not fetched.]";

/** Undefined for a block that holds what it shows. */
function insteadOf(block: LooseRecord): LooseRecord | undefined {
  if (asRecord(block["source"])?.["type"] === "url") return { type: "text", text: TEXT };
  if (block["fileData"] != null || block["file_data"] != null) return geminiText(block);
  const image = asRecord(block["image_url"])?.["url"] ?? block["image_url"];
  if (image == null && block["file_url"] == null) return undefined;
  if (block["file_url"] == null && typeof image === "string" && /^data:/i.test(image)) return undefined;
  return { type: block["type"] === "image_url" ? "text" : "input_text", text: TEXT };
}

/** On OpenAI's wires `file_data` is the file itself. */
const geminiText = (block: LooseRecord) => (block["type"] === undefined ? { text: TEXT } : undefined);
