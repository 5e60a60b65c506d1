import { expect, test } from "bun:test";
import type { ModelReply } from "../../src/arms/model/client.ts";
import { ask, clientOf, READ_FILE, REF, REQUEST, WIRES } from "../model/asking.ts";
import { startFakeProvider } from "./fake-provider.ts";
import { playScript } from "./play-script.ts";

const SCRIPTS = {
  plain: [{ say: "I look.", calls: [{ read_file: { path: "a" } }] }, { say: "Fixed." }],
  tdd: [{ say: "A test first.", delay_ms: 60_000 }],
};

const play = playScript({
  scriptOf: ({ system }) => (system === "plain" || system === "tdd" ? SCRIPTS[system] : undefined),
  judge: ({ messages }) => ({ winner: "a", read: messages.length }),
});

test.each(WIRES)(
  "an arm's script is played turn by turn over %s, and the judge answers through its tool",
  async (wire) => {
    await using provider = await startFakeProvider({ reply: play });
    const client = clientOf(provider, REF[wire]);
    const first = (await ask(client, { system: "plain", tools: [READ_FILE] })).reply as ModelReply;
    expect(first).toMatchObject({
      text: "I look.",
      stop: "calls",
      calls: [{ name: "read_file", input: { path: "a" } }],
    });
    const { text, calls, raw } = first;
    const results = calls.map(({ id }) => ({ call_id: id, ok: true, text: "content" }));
    const messages = [...REQUEST.messages, { role: "assistant", text, calls, raw }, { role: "tool", results }] as const;
    expect((await ask(client, { system: "plain", messages })).reply).toMatchObject({ text: "Fixed.", stop: "end" });
    expect((await ask(client, { system: "tdd" })).reply).toMatchObject({ text: "A test first." });
    const verdict = { ...READ_FILE, name: "verdict" };
    const judged = await ask(client, { system: "judge", tools: [verdict], force_tool: "verdict" });
    expect(judged.reply).toMatchObject({ calls: [{ name: "verdict", input: { winner: "a", read: 1 } }] });
  },
);
