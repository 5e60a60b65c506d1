import { expect, test } from "bun:test";
import { RUN } from "../../src/doors/cli/flags/run-flags.ts";
import { abeval } from "../abeval.ts";

test("abeval run --help lists every flag once, by what it is about", async () => {
  const { stdout } = await abeval(["run", "--help"]);
  const listed = [...stdout.matchAll(/^ {2}(?:-h, | {4})--([a-z-]+)/gm)].map(([, flag]) => flag);
  expect(listed).toEqual([...Object.values(RUN.groups).flat(), "help"]);
  expect(listed.toSorted()).toEqual([...Object.keys(RUN.flags), "help"].toSorted());
  for (const title of Object.keys(RUN.groups)) expect(stdout).toContain(`\n${title.toUpperCase()}:\n`);
});
