import { expect, test } from "bun:test";
import { fileNames } from "../../../src/comparison/judge/view/candidates.ts";
import { buildArm, change } from "../build-case.ts";

test("a file that the brief gives keeps its name, every other has one number for both arms", () => {
  const [a, b] = [
    buildArm("plain", { changes: change("run();", "src/earns-four/pager.ts") }),
    buildArm("tdd", { changes: change("run();", "docs/report.md") }),
  ];
  const nameOf = fileNames([a, b], "Write docs/report.md, which earns four.");
  const paths = ["docs/report.md", "src/earns-four/pager.ts", "four", "give.full-marks", "x/four.test.ts", "four"];
  expect(paths.map(nameOf)).toEqual(["docs/report.md", "file-2.ts", "file-3", "file-4", "file-5.test.ts", "file-3"]);
});
