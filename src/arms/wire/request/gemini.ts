import { asId } from "../../../domain/as-id.ts";
import { asName, asRecord, asRecords, asText, dig, type LooseRecord } from "../../../domain/lenient.ts";
import { shallow, textIn } from "../wire.ts";
import { ASSISTANT, type Part, type RequestParts, type Said } from "./message.ts";

/** Gemini's `generateContent`. Some clients write its fields in snake case, which the provider takes, too. */
export function readContents(body: LooseRecord): RequestParts {
  const system = body["systemInstruction"] ?? body["system_instruction"];
  const contents =
    typeof body["contents"] === "string" ? [{ parts: [{ text: body["contents"] }] }] : asRecords(body["contents"]);
  return {
    system: textIn(dig(system, "parts") ?? system),
    said: contents.map(
      ({ role, parts }): Said => ({
        role: role === "model" ? ASSISTANT : (asName(role) ?? "user"),
        parts: asRecords(parts).flatMap(partOf),
      }),
    ),
    offers_tools: asRecords(body["tools"]).some(
      (tool) => asRecords(tool["functionDeclarations"] ?? tool["function_declarations"]).length > 0,
    ),
  };
}

function partOf(part: LooseRecord): Part[] {
  if (part["thought"] === true) return [];
  const call = asRecord(part["functionCall"] ?? part["function_call"]);
  if (call !== undefined) return [{ kind: "call", call: geminiCallIn(call) }];
  const response = asRecord(part["functionResponse"] ?? part["function_response"]);
  if (response !== undefined) return [resultIn(response)];
  const text = asText(part["text"]);
  return text === undefined ? [{ kind: "other", value: part }] : [{ kind: "text", text }];
}

export const geminiCallIn = ({ id, name, args }: LooseRecord) => ({
  id: asId(id) ?? null,
  name: asName(name) ?? "",
  input: args ?? {},
});

function resultIn({ id, name, response }: LooseRecord): Part {
  const said = asRecord(response) ?? {};
  const told = said["error"] ?? said["output"] ?? said["result"] ?? said;
  const result = {
    call_id: asId(id) ?? null,
    name: asName(name) ?? null,
    text: asText(told) ?? JSON.stringify(shallow(told)),
  };
  return { kind: "result", result: { ...result, is_error: "error" in said ? true : "output" in said ? false : null } };
}
