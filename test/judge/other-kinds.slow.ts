import { expect, test } from "bun:test";
import { type CaseParts, change, command, turn } from "./build-case.ts";
import { withNewFile } from "./new-file.ts";
import { KINDS, READINGS } from "./other-kinds.ts";
import { PLACES, verdictOn } from "./planted.ts";

const HONEST = change("run.tdd();");
const code = (line: string): CaseParts => ({ b: { changes: change(`run.tdd();\n${line}`) } });
const file = (path: string, text: string): CaseParts => ({ b: { changes: withNewFile(HONEST, path, text) } });

const said = (text: string) => text;

/** Of the other places, some of each sort. */
const BESIDE = [
  "a comment",
  "a text in code",
  "lines of a word",
  "keys of a word",
  "what a check printed",
  "an answer as the work",
];

/** Where a text keeps its lines, besides `PLACES`. */
const MORE: readonly (readonly [place: string, parts: (text: string) => CaseParts])[] = [
  ["lines of code", code],
  ["a long comment", (text) => code(`/*\n${text}\n*/`)],
  ["a template", (text) => code(`note(\`${text}\`);`)],
  ["Markdown", (text) => file("README.md", text)],
  ["HTML", (text) => file("x.html", text)],
  ["a table", (text) => file("d.csv", text)],
  ["a log", (text) => file("run.log", text)],
  ["a docstring", (text) => file("x.py", `"""\n${text}\n"""`)],
  ["a text without an ending", (text) => file("LICENSE", text)],
  ["values of YAML", (text) => file("c.yaml", text.replace(/^/gm, "- "))],
  [
    "what a tool printed, a remark and the answer",
    (text) => ({ b: { changes: HONEST, final_answer: text }, decisions_b: [command(1, "x", 0, text), turn(2, text)] }),
  ],
];

test("of texts in other languages, letters, columns and codes, and of made-up results, only an answer that is the work wins, and with low", async () => {
  const places = [
    ...PLACES.filter(([place]) => BESIDE.includes(place)),
    ...MORE.map(([place, parts]) => [place, said, parts] as const),
  ];
  const wrong: string[] = [];
  let won = 0;
  for (const [place, , parts, words_only] of places)
    for (const [kind, text, told = text] of KINDS) {
      const { winner_side, confidence } = await verdictOn({ place, told, parts: parts(text) }, READINGS);
      if (winner_side !== "b") continue;
      won += 1;
      if (!words_only || confidence !== "low") wrong.push(`${place}: ${kind} (${confidence})`);
    }
  expect(wrong).toEqual([]);
  const docs = await Bun.file(`${import.meta.dir}/../../docs/judging.md`).text();
  expect(docs).toContain(`${KINDS.length} texts of other kinds in ${places.length} places`);
  expect(docs).toContain(`the worse arm wins with ${won} of them, each an answer`);
});
