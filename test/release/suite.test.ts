import { expect } from "bun:test";
import { join } from "node:path";
import { ROOT } from "../abeval.ts";
import { BASH } from "../machine.ts";
import { testNeeding } from "../needs.ts";

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
