import { expect, test } from "bun:test";
import { goodScenario, saidOfProof as saidOf, UNPROVED } from "./small-scenario.ts";

const draft = goodScenario();

const nowhere = (names: string) =>
  `${UNPROVED}. They name files that do not exist and that no arm is told to make: ${names}`;

const probe = (run: string, files: object = {}) => ({ probe: { files, checks: [{ id: "greeting", run }] } });

test.each([
  [
    "in a command",
    "sh data/check.sh && diff data/in.csv ./data/in.csv",
    {},
    "data/check.sh (greeting), data/in.csv (greeting)",
  ],
  ["in the workspace by its whole path", "test -s hello.txt && cat /workspace/gone/a.txt", {}, "gone/a.txt (greeting)"],
  ["as what must be there", "test -s gone.txt && [ -f 'out/b' ]", {}, "gone.txt (greeting), out/b (greeting)"],
  ["outside of the workspace", "grep -q a /data/abeval-gone.csv", {}, "/data/abeval-gone.csv (greeting)"],
  [
    "in a hidden script and a hidden test",
    "sh hidden/run.sh",
    { "hidden/run.sh": "cat '/app/abeval-gone/x'\n", "hidden/test_a.py": 'open("in/numbers.json")\n' },
    "/app/abeval-gone/x (hidden/run.sh), in/numbers.json (hidden/test_a.py)",
  ],
  [
    "six times",
    "cat a/1.txt a/2.txt a/3.txt a/4.txt a/5.txt a/6.txt",
    {},
    "a/1.txt (greeting), a/2.txt (greeting), a/3.txt (greeting), a/4.txt (greeting), a/5.txt (greeting) and 1 more",
  ],
])("a path that is named %s and is nowhere is told", async (_where, run, files, names) => {
  expect(await saidOf(probe(run, files))).toBe(nowhere(names));
});

test("what is there, what the arms are told to make, what a check makes, and other words are not told", async () => {
  const files = {
    "hidden/run.sh": [
      "exit 1",
      "test -s maybe.txt || [ -e maybe/b ] || exit 2",
      "cat hello.txt ./notes.md made/by-setup.txt >log/of-check.txt",
      "[ -f 'maybe/there.json' ] && touch made/now.txt; cd hidden && cat lib.sh data/own.csv",
      "curl https://example.org/a/b.html; echo application/json /api/users $X/y.txt *.md -o out/a.out",
      "test -e /usr/bin/env && test -x /bin/sh; mkdir -p build/x.out; cat /tmp/abeval-gone/x",
    ].join("\n"),
    "hidden/lib.sh": "",
    "hidden/data/own.csv": "",
    "hidden/w.py": 'open("res/written.txt", "w")\n',
  };
  const said = await saidOf({
    ...probe("sh hidden/run.sh && test -s report/sum.txt", files),
    setup: ["mkdir made && touch made/by-setup.txt"],
    prompt: "Write the sum into report/sum.txt.",
  });
  expect(said).toBe(UNPROVED);
});

test("a probe that has shown to be passable is not looked through", async () => {
  const { checks } = probe("sh hidden.sh; cat gone/a.txt; true").probe;
  const files = draft.task.probe.files;
  const said = await saidOf({ reference_fix: draft.task.reference_fix, probe: { files, checks } });
  expect(said).toBe("1 of 1 pass, twice");
});

test("hidden files of hostile texts are looked through in linear time", async () => {
  const text = ["/a".repeat(120_000), "./".repeat(120_000), "a.js ".repeat(50_000), '"'.repeat(200_000)].join("\n");
  const many = Array.from({ length: 20_000 }, (_, index) => `cat d/${index}.txt`).join("\n");
  const checks = [{ id: "greeting", run: "true" }];
  const said = await saidOf({ probe: { dir: "hid", checks } }, { "hid/a.sh": text, "hid/b.sh": many });
  expect(said).toContain("d/0.txt (b.sh)");
});
