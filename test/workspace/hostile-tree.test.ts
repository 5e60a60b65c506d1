import { expect, test } from "bun:test";
import { never, openFixture, shell } from "./harness.ts";

const NO_OVERLAY = { dir: null, files: {} };

test("names that are no valid text, and look alike when decoded, stop nothing and hide nothing", async () => {
  await using pristine = openFixture({ "a.txt": "a\n" });
  await using workspace = pristine.open();
  const twins = `echo 1 > "$(printf 'b\\377')"; echo 2 > "$(printf 'b\\376')"; echo 3 > "$(printf 'b\\357\\277\\275')"`;
  await workspace.exec(shell(`${twins}; mkdir "$(printf 'd\\377')"; echo 4 > "$(printf 'd\\377')/f"`), never);
  const { files } = await workspace.changes();
  const { workspace: fork } = await workspace.fork({ restore: ["**/*.txt"], overlay: NO_OVERLAY });
  await using copy = fork;
  expect({
    changed: files.map(({ path, after }) => [path, after]),
    altered: (await workspace.altered(["b*"])).length,
    copied: (await copy.list()).map(({ path }) => path),
  }).toEqual({
    changed: [
      ["b\ufffd", "3\n"],
      ["b\ufffd (2)", null],
      ["b\ufffd (3)", null],
      ["d\ufffd", null],
    ],
    altered: 3,
    copied: ["a.txt", "b\ufffd"],
  });
});

test("a link whose target is long and no valid text is compared and copied byte for byte", async () => {
  await using pristine = openFixture({ "a.txt": "a\n" });
  await using workspace = pristine.open();
  await workspace.exec(shell(`ln -s "$(printf '\\377%.0s' $(seq 1 2000))" l`), never);
  const { files } = await workspace.changes();
  const { workspace: fork } = await workspace.fork({ restore: [], overlay: NO_OVERLAY });
  await using copy = fork;
  const { output } = await copy.exec(shell("readlink l | tr -d '\\n' | tr '\\377' x | wc -c"), never);
  expect([files.map(({ path, status }) => [path, status]), output.trim()]).toEqual([[["l", "added"]], "2000"]);
});
