import { expect, test } from "bun:test";
import { postedCheck } from "../../src/comparison/evidence/posted-check.ts";
import type { Readable } from "../../src/comparison/evidence/pure-check.ts";
import type { CheckPosted } from "../../src/domain/task.ts";
import { testServices } from "../harness.ts";
import { countTurns } from "../turns.ts";
import { serveAnswers } from "./served-answer.ts";

/** Posts what an arm left, without a run. */
async function postWork(url: string, { patch, outputs = [] }: { patch: string; outputs?: readonly string[] }) {
  const call = { kind: "tool_call", summary: "read", at: "2026-11-28T00:00:00Z" } as const;
  const detailOf = (output: string) => ({ tool: "read", input: "{}", output, ok: true }) as never;
  const decisions = outputs.map((output, seq) => ({ ...call, seq, detail: detailOf(output) }));
  const changes = { files: [], patch, digest: "", truncated: false };
  const left = { answer: "good", decisions, changes, input: undefined } as unknown as Readable;
  const check = { id: "polite", timeout_s: 60, posted: { url } } as CheckPosted;
  const never = new AbortController().signal;
  return await postedCheck(testServices(), { check, posted: check.posted, left, redact: (text) => text }, never);
}

test("what is posted is bounded by the bytes that are sent, and is made in turns with others", async () => {
  await using server = serveAnswers(() => Response.json({ pass: true }));
  using turns = countTurns();
  for (const [patch, outputs] of [
    ["\u0001".repeat(2_000_000), []],
    ["\ud800".repeat(2_000_000), Array<string>(700).fill('"'.repeat(4_000))],
    ["", Array<string>(2_500).fill("\u0001".repeat(600))],
  ] as const)
    expect(await postWork(server.url, { patch, outputs })).toMatchObject({
      status: "error",
      reason: "change and calls make more than the 8388608 bytes that are posted",
    });
  expect(server.asked).toEqual([]);
  expect(turns.count).toBeGreaterThan(10);
});

test("much work arrives as it is, a character of two halves too", async () => {
  await using server = serveAnswers(() => Response.json({ pass: true }));
  const [patch, outputs] = [`a${"\u{1f600}".repeat(400_000)}\n\ud800`, Array<string>(1_200).fill("b\n".repeat(1_800))];
  expect(await postWork(server.url, { patch, outputs })).toMatchObject({ status: "pass" });
  const [{ body, headers } = { body: {}, headers: {} }] = server.asked;
  expect(Number(headers["content-length"])).toBeGreaterThan(8_000_000);
  expect(body["change"] === patch.toWellFormed()).toBe(true);
  expect((body["steps"] as readonly { output: string }[]).every(({ output }, at) => output === outputs[at])).toBe(true);
  expect(body["steps"]).toHaveLength(1_200);
});
