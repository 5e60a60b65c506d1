import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import own from "../../package.json" with { type: "json" };
import { ROOT } from "../abeval.ts";
import { BASH, SCRIPT } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { temporaryDirectory } from "../temporary.ts";

/** Runs `.ci/suite` over a command that prints these lines and ends with `status`. A missing chromium may skip a test. */
function suite(printed: readonly string[], status = 0) {
  const tests = ["sh", "-c", `printf '%s\\n' "$@"; exit ${status}`, "sh", ...printed];
  const { exitCode, stdout } = Bun.spawnSync(["bash", join(ROOT, ".ci/suite"), "chromium|a printer", ...tests]);
  return { exitCode, last: stdout.toString().trimEnd().split("\n").at(-1) };
}

testNeeding(BASH)("CI passes tests that were run, or skipped for a reason that it knows", () => {
  const skipped = "(skip) a page prints [needs chromium (apt-get install chromium), a printer]";
  expect(suite(["(pass) a page opens", skipped])).toEqual({ exitCode: 0, last: skipped });
});

testNeeding(BASH)("CI fails when a test was skipped for a reason that it does not know, or for none", () => {
  for (const skipped of ["(skip) a disk fills up [needs root]", "(skip) later: chromium"])
    expect(suite([skipped, "1 pass"])).toEqual({ exitCode: 1, last: skipped });
});

testNeeding(BASH)("CI fails as its tests fail", () => {
  expect(suite(["(fail) a page opens"], 3)).toMatchObject({ exitCode: 3 });
});

const TESTS = `import { test } from "bun:test";
test("a page opens", () => {});
test["skip"]("a page prints [needs a printer]", () => {});
test("it's a page", () => { throw new Error("that does not open"); });
`;

testNeeding(BASH, SCRIPT)("CI runs tests on a terminal, and reads what they show there as it reads a pipe", () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, "it's a.test.ts");
  writeFileSync(file, TESTS);
  const onTerminal = [join(ROOT, ".ci/on-terminal"), process.execPath, "test", file];
  const { exitCode, stdout } = Bun.spawnSync(["bash", join(ROOT, ".ci/suite"), "a printer", ...onTerminal]);
  const lines = stdout
    .toString()
    .match(/^(\(| \d).*$/gm)
    ?.map((line) => line.replace(/ \[.*ms\]$/, ""));
  expect(lines).toEqual([
    ...["(pass) a page opens", "(skip) a page prints [needs a printer]", "(fail) it's a page"],
    ...[" 1 pass", " 1 skip", " 1 fail"],
  ]);
  expect(exitCode).toBe(1);
});

test("the README says how long its tests take, and they begin with the same words", () => {
  const [, told = "nothing"] = /^echo 'A(bout \d+ minutes on 2 cores)\.'/.exec(own.scripts.test) ?? [];
  expect(readFileSync(join(ROOT, "README.md"), "utf8")).toContain(`runs them, in a${told};`);
});
