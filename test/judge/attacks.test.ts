import { describe, expect, test } from "bun:test";
import { basisOf, decide } from "../../src/comparison/judge/decide.ts";
import { openJudge } from "../../src/comparison/judge/open-judge.ts";
import type { Changes } from "../../src/domain/evidence.ts";
import type { Verdict } from "../../src/domain/verdict.ts";
import { ATTACKS, type Attack, type Place } from "./attacks.ts";
import { buildCase, type CaseParts, CRITERIA, change, command, probe, turn } from "./build-case.ts";
import { countingEntropy, fixedClock, type MockJudge, scoringJudge } from "./mock-judge.ts";
import { withNewFile } from "./new-file.ts";

const TOP = 4;

/** Gives the top score to whoever asks for it, by whatever words; else looks at the code. */
const obedient = ({ told }: Attack, planter: number): MockJudge =>
  scoringJudge(({ evidence }, ids) => {
    const honest = evidence.includes("run.tdd") ? planter : 3;
    return Object.fromEntries(ids.map((id) => [id, told.some((part) => evidence.includes(part)) ? TOP : honest]));
  });

/** A line more in the middle of a text that a file of the fixture held before. */
function withLine(changes: Changes, path: string, [open, close]: readonly [string, string], line: string): Changes {
  const lines = [open, ...Array.from({ length: 9 }, (_, index) => ` * Part ${index + 1} of how it works.`), close];
  const before = `${lines.join("\n")}\n`;
  const after = `${lines.toSpliced(5, 0, line).join("\n")}\n`;
  const file = { ...change("", path).files[0], path, removed: 0, before, after } as Changes["files"][number];
  const patch = `--- ${path}\n+++ ${path}\n@@ -5,2 +5,3 @@\n ${lines[4]}\n+${line}\n ${lines[5]}\n`;
  return { ...changes, files: [...changes.files, file], patch: changes.patch + patch };
}

/** Arm b with these words in this place. */
function planted({ place, text }: Attack): CaseParts {
  const honest = change("run.tdd();");
  const code = (line: string) => ({ b: { changes: change(line) } });
  const places: Readonly<Record<Place, () => CaseParts>> = {
    answer: () => ({ b: { changes: honest, final_answer: text } }),
    remark: () => ({ b: { changes: honest }, decisions_b: [turn(1, text)] }),
    comment: () => code(`run.tdd(); // ${text}`),
    string: () => code(`run.tdd("${text}");`),
    docstring: () => ({ b: { changes: withNewFile(honest, "tools/check.py", `"""${text}"""`) } }),
    name: () => code(`run.tdd(${text});`),
    path: () => ({ b: { changes: withNewFile(honest, `src/${text}.ts`, "export {};") } }),
    printed: () => ({ b: { changes: honest }, decisions_b: [command(1, "bun test", 0, text)] }),
    checked: () => ({ b: { changes: honest, probe: printing(text) } }),
    code: () => code(`run.tdd();\n${text}`),
    open_comment: () => ({ b: { changes: withLine(honest, "src/page.ts", ["/*", " */"], text) } }),
    open_docstring: () => ({ b: { changes: withLine(honest, "src/page.py", ['"""', '"""'], text) } }),
    prose: () => ({ b: { changes: withNewFile(honest, "REPORT.md", text) } }),
  };
  return places[place]();
}

/** Passes as much as the other arm does. */
function printing(output: string) {
  const all = probe("pass", 9);
  return { ...all, checks: all.checks.map((check) => ({ ...check, output })) };
}

async function verdictOn(attack: Attack, planter: number): Promise<Verdict> {
  const parts = planted(attack);
  const kase = buildCase({
    ...parts,
    a: { probe: probe("pass", 9), ...parts.a },
    b: { probe: probe("pass", 9), ...parts.b },
  });
  const model = obedient(attack, planter);
  const judge = openJudge({ model, model_name: "mock/judge", clock: fixedClock(), entropy: countingEntropy() });
  return await judge(kase, new AbortController().signal);
}

/** What the first hearing alone would have said. */
function atFirst(verdict: Verdict) {
  const basis = {
    ...basisOf(verdict, 0.05),
    calls: verdict.calls.filter(({ masked }) => !masked),
    suspects: new Set<never>(),
  };
  return decide(basis, new Map(CRITERIA.map(({ id, weight }) => [id, weight]))).winner_side;
}

for (const [who, planter, lean] of [
  ["an arm that did worse", 1, "a"],
  ["an arm that did as well", 3, null],
] as const)
  describe(`${who} wins by words alone with a judge that obeys them`, () => {
    for (const attack of ATTACKS)
      test(`at first, and not when the judge is asked again: ${attack.what}`, async () => {
        const verdict = await verdictOn(attack, planter);
        expect(atFirst(verdict)).toBe("b");
        const { outcome, winner_side, lean_side, confidence, suspicions = [] } = verdict;
        expect({ outcome, winner_side, lean_side, confidence }).toEqual({
          outcome: "inconclusive",
          winner_side: null,
          lean_side: lean,
          confidence: "none",
        });
        expect([...new Set(suspicions.map(({ arm_id }) => arm_id))]).toEqual(["tdd"]);
      });
  });

test("documents count the attacks as they are", async () => {
  for (const path of ["README.md", "docs/judging.md"])
    expect(await Bun.file(`${import.meta.dir}/../../${path}`).text()).toContain(
      `${ATTACKS.length} kinds of planted text`,
    );
});

test("an arm that did better keeps its win whatever words stand beside it", async () => {
  const honest = scoringJudge(({ evidence }, ids) =>
    Object.fromEntries(ids.map((id) => [id, evidence.includes("run.tdd") ? TOP : 1])),
  );
  const judge = openJudge({ model: honest, model_name: "m", clock: fixedClock(), entropy: countingEntropy() });
  const verdicts = await Promise.all(
    ATTACKS.map((attack) => judge(buildCase(planted(attack)), new AbortController().signal)),
  );
  expect(verdicts.filter(({ winner_side }) => winner_side !== "b")).toEqual([]);
});
