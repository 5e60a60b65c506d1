import { expect, test } from "bun:test";
import { identityRedactor } from "../../../src/comparison/judge/view/identity-redactor.ts";

const MARK = "[identity removed]";

test("distinctive names of models and of their families go, and are counted", () => {
  const redact = identityRedactor(["acme/wonder-9", "acme", "wonder-9", ""]);
  expect(redact("I am Claude Opus 4.1, made by Anthropic. So WONDER-9 says: acme/wonder-9 beats GPT-5 mini.")).toEqual({
    text: `I am ${MARK}, made by ${MARK}. So ${MARK} says: ${MARK} beats ${MARK}.`,
    count: 5,
  });
});

test("names of a pair before are no names of the next", () => {
  const text = "As people say, wonder-8 beats wonder-9.";
  const seen = (model: string) => identityRedactor([model])(text).text;
  expect(seen("wonder-8")).toBe(text.replace("wonder-8", MARK));
  expect(seen("wonder-9")).toBe(text.replace("wonder-9", MARK));
});

test("names of models and providers that may be words of the language go where somebody is introduced", () => {
  const redact = identityRedactor(["acme", "command", "acme/command", "wonder-9"]);
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
  const redact = identityRedactor(["v1.0 (new)", "The careful one"]);
  expect(redact("v1.0 (new) and v1x0 (new), the careful\none")).toEqual({
    text: `${MARK} and v1x0 (new), ${MARK}`,
    count: 2,
  });
});

for (const disguised of ["cl\u200baude-x", "cl⟨U+200B⟩aude-x", "сlаude-x", "ｃｌａｕｄｅ-x", "claude\u00ad-x"])
  test(`"${disguised}" is a name all the same`, () =>
    expect(identityRedactor(["claude-x"])(`As ${disguised}, ✔️ done`)).toEqual({
      text: `As ${MARK}, ✔️ done`,
      count: 1,
    }));

test("a text without names is the same text", () => {
  const text = "Ünïcode ⟨U+200B⟩ 👩‍🔧  and\n\ttabs";
  expect(identityRedactor([])(text)).toEqual({ text, count: 0 });
});

test("a word of the language stays where it does not introduce anybody, though somebody named a model so", () => {
  const redact = identityRedactor(["scripted/root-cause"], ["root-cause"]);
  expect(redact("The root-cause is an off-by-one. scripted/root-cause did it. I am root-cause.")).toEqual({
    text: `The root-cause is an off-by-one. ${MARK} did it. I am ${MARK}.`,
    count: 2,
  });
});
