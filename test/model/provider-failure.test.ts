import { expect, test } from "bun:test";
import { checkModel } from "../../src/arms/model/check-model.ts";
import { Credentials } from "../../src/arms/model/credentials.ts";
import type { FailedTry } from "../../src/arms/model/failed-try.ts";
import { providerFailure } from "../../src/arms/model/provider/provider-failure.ts";
import type { Transport } from "../../src/arms/model/provider-call.ts";
import { systemClock } from "../../src/runtime/clock.ts";

const KEY = "canary-key-5d1e7f";
const credentials = new Credentials({ HOUSE_BASE_URL: "http://house.example:8080/v1?key=secret", HOUSE_API_KEY: KEY });
const transport: Transport = {
  endpoint: checkModel("house/x", credentials),
  clock: systemClock,
  fetch: globalThis.fetch,
  redact: (text) => credentials.redact(text),
  unforced: new Set(),
  line: { reached: false },
};

const messageOf = (failed: FailedTry, attempts = 1) =>
  providerFailure(transport, { failed, attempts, timeout_ms: 1500 }).message;

const answered = (words: string, status = 500): FailedTry => ({ kind: "status", status, words });

test.each<[FailedTry, string]>([
  [
    {
      kind: "unreachable",
      cause: Object.assign(new Error("http://house/?key=secret"), { code: "ConnectionRefused" }),
    },
    "house could not be reached at house.example:8080 (6 tries): ConnectionRefused. Check HOUSE_BASE_URL.",
  ],
  [
    { kind: "timeout" },
    "house did not answer within 1.5 s (6 tries). Try again later, or with a smaller max_output_tokens.",
  ],
  [
    { kind: "too_large", status: 200, fault: "more than 4 MiB" },
    "house sent a reply that is too large: more than 4 MiB. Check that HOUSE_BASE_URL leads to the model's API; if it does, set a smaller max_output_tokens.",
  ],
  [answered(""), "house answered 500 (6 tries)."],
  [answered('{"error":{"detail":"no such thing"}}'), 'house answered 500 (6 tries): "no such thing".'],
  [answered('{"error":"down"}'), 'house answered 500 (6 tries): "down".'],
  [
    answered("<html><style>x{}</style><h1>Bad\n gateway</h1></html>", 502),
    'house answered 502 (6 tries): "Bad gateway".',
  ],
  [
    answered('{"error":{"message":"no model x","code":"model_not_found"}}', 404),
    'house answered 404 model_not_found (6 tries): "no model x". Check the model\'s name, and HOUSE_BASE_URL.',
  ],
  [
    answered('{"error":{"type":"insufficient_quota","message":"You exceeded your current quota."}}', 429),
    'house answered 429 insufficient_quota (6 tries): "You exceeded your current quota.". Add credit to the account, or use another.',
  ],
  [answered("", 429), "house answered 429 (6 tries). Check the account's limits, or try again later."],
])("%p reads as a sentence with what to do", (failed, message) => {
  expect(messageOf(failed, 6)).toBe(message);
});

test("at most 500 characters are quoted, and a key at the cut does not lose only its end", () => {
  const message = messageOf(answered(`${"x".repeat(490)}${KEY}${"y".repeat(500)}`));
  expect(message).not.toContain(KEY.slice(0, 6));
  expect(message.length).toBeLessThan(560);
});

test("a type that is not a word is not quoted", () => {
  expect(messageOf(answered(JSON.stringify({ error: { type: KEY.repeat(9), message: "m" } })))).toBe(
    'house answered 500: "m".',
  );
});

test.each(["<", "<script", "<script><", "</"])("a page made of %p is read at once, however often", (part) => {
  const page = answered(part.repeat(65_536 / part.length), 502);
  for (let times = 0; times < 30; times += 1) expect(messageOf(page)).toStartWith("house answered 502");
});

test("a key that the end of what is read would cut in half stays hidden, also behind much white space", () => {
  for (const half of [KEY, "sk-ant-api03-AbCdEfGh1234567890"])
    for (let shown = 1; shown < half.length; shown += 1)
      for (const read of [64, 72]) {
        const words = `denied:${" ".repeat(read * 1024 - 7 - shown)}${half}${"y ".repeat(50_000)}`;
        expect(messageOf(answered(words))).not.toContain(half.slice(0, Math.max(4, shown)));
      }
});
