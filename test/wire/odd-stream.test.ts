import { expect, test } from "bun:test";
import { openReply } from "../../src/arms/wire/open-reply.ts";
import { atOnce, endOf } from "./streams.ts";

const gate = ({ input, unparsed }: { readonly input: unknown; readonly unparsed?: string }) =>
  (unparsed ?? JSON.stringify(input)).includes("rm ") ? { command: "refused" } : null;

const delta = (text: string, finish_reason: string | null = null) => ({
  choices: [
    {
      index: 0,
      finish_reason,
      delta: { tool_calls: [{ index: 0, id: "c", function: { name: "shell", arguments: text } }] },
    },
  ],
});
const events = (...all: readonly (object | string)[]) =>
  all.map((one) => `data: ${typeof one === "string" ? one : JSON.stringify(one)}\n\n`).join("");

function passed(text: string, content_type = "text/event-stream") {
  const reader = openReply("chat", { content_type, gate });
  const first = atOnce(reader.push(Buffer.from(text)));
  const { bytes, reply } = endOf(reader);
  return { text: `${Buffer.from(first)}${Buffer.from(bytes)}`, reply };
}

test("a stream is read as one, whatever the provider calls it", () => {
  for (const type of ["text/plain", "application/json", ""]) {
    const { text, reply } = passed(events(delta('{"command":"rm a"}', "tool_calls"), "[DONE]"), type);
    expect(text).not.toContain("rm a");
    expect(text).toContain("refused");
    expect(reply).toMatchObject({ ended: "whole", calls: [{ input: { command: "rm a" } }] });
  }
});

test("an event that is no JSON for us is none for an agent of looser habits", () => {
  const odd = JSON.stringify(delta('{"command":"rm a"}')).replace("null", "NaN");
  expect(passed(events(odd, "[DONE]")).text).toBe(events("[DONE]"));
});

const whole = JSON.stringify({ choices: [{ index: 0, message: { tool_calls: [] }, finish_reason: "tool_calls" }] });

test.each([
  ["JSON that only a loose reader takes", "{choices: [{message: {tool_calls: []}}],}", "application/json"],
  ["the same before an empty line", "{choices: [{message: {tool_calls: []}}],}\n\n", "application/json"],
  ["JSON that is called a stream", `${whole}\n\n`, "text/event-stream"],
  ["a page", "<html>\n\n<p>Please wait\n\n", "text/html"],
  ["nothing", "", "application/json"],
  ["JSON in a text of JSON", JSON.stringify(whole), "application/json"],
  ["a list in a list", `[[${whole}]]`, "application/json"],
])("a reply is not passed on that is neither JSON nor a stream: %s", (_, text, content_type) => {
  const { text: out, reply } = passed(text, content_type);
  expect(out).toBe("");
  expect(reply).toMatchObject({ ended: "cut", error: "the reply is neither JSON nor a stream of events" });
});

test("what only keeps a stream open passes, and what no stream has does not", () => {
  const text = `: wait\n\nretry: 5\n\n${whole}\n\n${events(delta("{}", "tool_calls"), "[DONE]")}`;
  expect(passed(text).text).toBe(text.replace(`${whole}\n\n`, ""));
});

test("a call that was looked at does not grow afterwards", () => {
  const { text, reply } = passed(events(delta('{"command":"ls', "tool_calls"), delta(';rm a"}'), "[DONE]"));
  expect(text).not.toContain("rm a");
  expect(reply.ended).toBe("cut");
});
