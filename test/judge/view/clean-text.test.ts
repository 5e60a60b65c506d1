import { expect, test } from "bun:test";
import { cleanLine, cleanText } from "../../../src/comparison/judge/view/clean-text.ts";

test("terminal sequences and control characters disappear, tabs and newlines stay", () => {
  expect(cleanText("\u001b[31mred\u001b[0m\u001b]0;title\u0007\ta\u0000b\u0008\nc\u009b2Jd\u007f")).toBe("red\tab\ncd");
});

test("invisible characters are spelled out, many at once by number", () => {
  expect(cleanText("a\u200bb\u202ec")).toBe("a⟨U+200B⟩b⟨U+202E⟩c");
  expect(cleanText(`a${"\u200b".repeat(5000)}b`)).toBe("a⟨5000 invisible characters⟩b");
  expect(cleanText("x\u{e0041}\u2028y\u0085z")).toBe("x⟨U+E0041⟩⟨U+2028⟩y⟨U+0085⟩z");
});

test("newlines become one kind and lone surrogates readable", () => {
  expect(cleanText("a\r\nb\rc\ud800")).toBe("a\nb\nc\ufffd");
});

test("a long encoded blob is replaced by its length and hash", () => {
  expect(cleanText(`key ${"QUJD".repeat(100)}== end`)).toMatch(
    /^key ⟨402 encoded characters, sha256 [0-9a-f]{12}⟩ end$/,
  );
  expect(cleanText("a".repeat(255))).toBe("a".repeat(255));
});

test("a line has no line breaks", () => {
  expect(cleanLine("  a\n\r b\t c ")).toBe("a b c");
});
