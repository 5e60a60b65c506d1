import { asRecord, asText, type LooseRecord } from "../../../domain/lenient.ts";

/** A tool as its server describes it. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  /** Schema of an object, for the model alone. */
  readonly inputSchema: LooseRecord;
}

/** Characters of a tool's name, as the protocol has them. */
const MAX_NAME_CHARS = 128;

/** One answer to `tools/list`. @throws Unusable */
export function readToolPage(result: unknown): {
  readonly tools: readonly ListedTool[];
  /** The cursor of the next page; "" on the last one. */
  readonly cursor: string;
} {
  const { tools, nextCursor } = asRecord(result) ?? {};
  if (!Array.isArray(tools)) throw new UnusableTools("it is no list of tools");
  return { tools: tools.map(readTool), cursor: asText(nextCursor) ?? "" };
}

function readTool(listed: unknown): ListedTool {
  const { name, description, inputSchema } = asRecord(listed) ?? {};
  if (typeof name !== "string") throw new UnusableTools("it lists a tool without a name");
  if (name.length > MAX_NAME_CHARS)
    throw new UnusableTools(
      `it lists a tool whose name has ${name.length} characters, at most ${MAX_NAME_CHARS} are taken`,
    );
  const schema = asRecord(inputSchema);
  if (schema?.["type"] !== "object") throw new UnusableTools(`its tool ${name} has no input schema of type object`);
  return { name, description: asText(description) ?? "", inputSchema: schema };
}

/** An answer of a server that nothing can be made of; the message says why. */
export class UnusableTools extends Error {}
