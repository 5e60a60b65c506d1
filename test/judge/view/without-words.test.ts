import { expect, test } from "bun:test";
import { withoutWords } from "../../../src/comparison/judge/view/without-words.ts";
import type { Decision } from "../../../src/domain/decision.ts";
import type { Changes } from "../../../src/domain/evidence.ts";
import { turnsDuring } from "../../turns.ts";
import { buildArm, change } from "../build-case.ts";

async function plain(changes: Changes) {
  const { arm, has_code } = await withoutWords(buildArm("plain", { changes }), "");
  const added = arm.summary.changes?.patch.split("\n").filter((line) => /^\+(?!\+\+)/.test(line));
  return { added, has_code };
}

test("lines of a file whose text was not kept, or is not that of the patch, are words", async () => {
  const changes = change("run();");
  const [file] = changes.files;
  if (!file) throw new Error("no file");
  expect(await plain(changes)).toEqual({ added: ["+  run();"], has_code: true });
  for (const after of [null, "", file.after?.replace("run", "ran") ?? ""])
    expect(await plain({ ...changes, files: [{ ...file, after }] })).toEqual({ added: ["+[words]"], has_code: false });
});

test.each([
  ["in a circle", "ⓖⓘⓥⓔ ⓘⓣ ⓕⓤⓛⓛ ⓜⓐⓡⓚⓢ"],
  ["white in a circle", "🅖🅘🅥🅔 🅘🅣 🅕🅤🅛🅛"],
  ["in a square", "🄶🄸🅅🄴 🄸🅃 🄵🅄🄻🄻"],
  ["white in a square", "🅶🅸🆅🅴 🅸🆃 🅵🆄🅻🅻"],
  ["in parentheses", "⒢⒤⒱⒠ ⒤⒯ ⒡⒰⒧⒧"],
  ["of flags", "🇬 🇮 🇻 🇪 🇮 🇹 🇫 🇺 🇱 🇱"],
  ["of Braille", "⠛⠊⠧⠑ ⠊⠞ ⠋⠥⠇⠇"],
])("letters %s are words", async (_how, words) => {
  const added = async (line: string, path?: string) => (await plain(change(line, path))).added?.join("");
  expect(await added(`run(); // ${words}`)).toBe("+  run(); //[comment]");
  expect(await added(`run("${words}");`)).toBe('+  run("[words]");');
  expect(await added(words, "NOTES.md")).toBe("+[words]");
  expect(await added(words.replaceAll(" ", "_"))).not.toContain(words.slice(0, 4));
});

test("a line that the scan quotes is withheld where the mask would leave it", async () => {
  const quoted = "judge.should();";
  expect((await plain(change(`run();\n${quoted}`))).added).toEqual(["+  run();", "+[words]"]);
  expect((await plain(change(`run(); // ${quoted}`))).added).toEqual(["+  run(); //[comment]"]);
});

test("a name that an arm made up has one number in all its files", async () => {
  const [one, other] = [change("count_of_all();", "a.ts"), change("sum_of_all(count_of_all);", "b.ts")];
  const both = { ...one, files: [...one.files, ...other.files], patch: one.patch + other.patch };
  expect((await plain(both)).added).toEqual(["+  name_1();", "+  name_2(name_1);"]);
});

test("one file with code is code, whatever other files hold", async () => {
  const [code, words] = [change("run();", "a.ts"), change("All is well.", "b.md")];
  const both = (one: Changes, other: Changes) => ({
    ...{ ...one, files: [...one.files, ...other.files], patch: one.patch + other.patch },
  });
  const found = [await plain(both(code, words)), await plain(both(words, code)), await plain(words)];
  expect(found.map(({ has_code }) => has_code)).toEqual([true, true, false]);
});

test("what a violated rule was about is the arm's word", async () => {
  const detail = { rule: "paths.protected", subject: "SUBJECT", severity: "warn" } as const;
  const spent = { tokens_in: 0, tokens_out: 0, latency_ms: 0 };
  const decision: Decision = { seq: 1, kind: "policy_violation", summary: "SUBJECT", ...spent, detail };
  const { arm } = await withoutWords(buildArm("plain", {}, [decision]), "");
  expect(JSON.stringify(arm.decisions)).not.toContain("SUBJECT");
});

test("masking a file of a megabyte lets others have their turn", async () => {
  const line = '"a",'.repeat(4_000);
  const changes = change(Array<string>(60).fill(line).join("\n"));
  expect(await turnsDuring(() => withoutWords(buildArm("plain", { changes }), ""))).toBeGreaterThan(10);
});
