import { expect, test } from "bun:test";
import { identityRedactor } from "../../../src/judge/view/redact-identity.ts";

test("names of the arms and of model families go, and are counted", () => {
  const redact = identityRedactor(["tdd", "Plain prompt", "acme/wonder-9", "acme", "wonder-9", ""]);
  expect(redact("I am Claude Opus 4.1, made by Anthropic. As TDD says: acme/wonder-9 beats GPT-5 mini.")).toEqual({
    text: "I am [identity removed], made by [identity removed]. As [identity removed] says: [identity removed] beats [identity removed].",
    count: 5,
  });
});

test("short arm ids and parts of words stay", () => {
  const redact = identityRedactor(["a", "b", "tdd"]);
  expect(redact("a tddish b step")).toEqual({ text: "a tddish b step", count: 0 });
});

test("a name with special characters is taken literally", () => {
  expect(identityRedactor(["v1.0 (new)"])("v1.0 (new) and v1x0 (new)").count).toBe(1);
});
