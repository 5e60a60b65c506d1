import { expect, test } from "bun:test";
import { identityRedactor } from "../../../src/judge/view/redact-identity.ts";

const nobody = { arms: [], models: [] };
const MARK = "[identity removed]";

test("distinctive names of the arms and of model families go, and are counted", () => {
  const redact = identityRedactor({
    arms: ["test-first", "Plain prompt", ""],
    models: ["acme/wonder-9", "acme", "wonder-9", ""],
  });
  expect(
    redact("I am Claude Opus 4.1, made by Anthropic. As TEST-FIRST says: acme/wonder-9 beats GPT-5 mini."),
  ).toEqual({
    text: `I am ${MARK}, made by ${MARK}. As ${MARK} says: ${MARK} beats ${MARK}.`,
    count: 5,
  });
});

test("names of a pair before are no names of the next", () => {
  const text = "As arm-1 and arm-2 say, wonder-8 beats wonder-9.";
  const seen = (arm: string, model: string) => identityRedactor({ arms: [arm], models: [model] })(text).text;
  const shown = (...names: string[]) => names.reduce((rest, name) => rest.replace(name, MARK), text);
  expect(seen("arm-1", "wonder-8")).toBe(shown("arm-1", "wonder-8"));
  expect(seen("arm-2", "wonder-8")).toBe(shown("arm-2", "wonder-8"));
  expect(seen("arm-2", "wonder-9")).toBe(shown("arm-2", "wonder-9"));
});

test("arm ids and titles that may be words of the language stay", () => {
  const redact = identityRedactor({ arms: ["fixed", "a", "tdd", "Careful"], models: [] });
  const text = "I fixed the pager as tdd asks; I am careful now; a tddish b step";
  expect(redact(text)).toEqual({ text, count: 0 });
});

test("names of models and providers that may be words of the language go where somebody is introduced", () => {
  const redact = identityRedactor({ arms: [], models: ["acme", "command", "acme/command", "wonder-9"] });
  expect(redact("I ran the command; acme is imported from google.")).toEqual({
    text: "I ran the command; acme is imported from google.",
    count: 0,
  });
  expect(
    redact("I’m Command, a model made by the Acme. I am wonder-9 by acme, trained by Google; a Google model."),
  ).toEqual({
    text: `I’m ${MARK}, a model made by the ${MARK}. I am ${MARK} by ${MARK}, trained by ${MARK}; a ${MARK} model.`,
    count: 6,
  });
});

test("a name with special characters is taken literally, and over a line break", () => {
  const redact = identityRedactor({ arms: ["v1.0 (new)", "The careful one"], models: [] });
  expect(redact("v1.0 (new) and v1x0 (new), the careful\none")).toEqual({
    text: `${MARK} and v1x0 (new), ${MARK}`,
    count: 2,
  });
});

for (const disguised of ["cl\u200baude-x", "cl⟨U+200B⟩aude-x", "сlаude-x", "ｃｌａｕｄｅ-x", "claude\u00ad-x"])
  test(`"${disguised}" is a name all the same`, () =>
    expect(identityRedactor({ arms: [], models: ["claude-x"] })(`As ${disguised}, ✔️ done`)).toEqual({
      text: `As ${MARK}, ✔️ done`,
      count: 1,
    }));

test("a text without names is the same text", () => {
  const text = "Ünïcode ⟨U+200B⟩ 👩‍🔧  and\n\ttabs";
  expect(identityRedactor(nobody)(text)).toEqual({ text, count: 0 });
});
