import { expect, test } from "bun:test";
import { treeStamp } from "../../src/scenario/stamp.ts";
import { scenarioFolder } from "./scenario-folder.ts";

test("a tree that is too much to look at has no stamp", async () => {
  await using folder = await scenarioFolder({ "fix/a.txt": "a", "fix/deep/b.txt": "b" });
  const tree = folder.path("fix"); // itself, a.txt, deep, b.txt
  expect(await treeStamp([tree], 3)).toBeUndefined();
  const stamp = await treeStamp([tree], 4);
  expect(stamp).toBe(await treeStamp([tree]));
  await folder.write("fix/deep/b.txt", "c");
  expect(await treeStamp([tree], 4)).not.toBe(stamp);
});
