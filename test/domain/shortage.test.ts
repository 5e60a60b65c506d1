import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PRLIMIT } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { temporaryDirectory } from "../temporary.ts";

testNeeding(PRLIMIT)("whoever reads a file without a free descriptor says so, and blames nobody who wrote one", () => {
  using directory = temporaryDirectory();
  writeFileSync(join(directory.path, "any.yaml"), "name: any\n");
  const script = join(import.meta.dir, "starved.ts");
  const { stdout, stderr } = Bun.spawnSync(["prlimit", "--nofile=64", process.execPath, script, directory.path]);
  const { mcp, exit, ...readers } = JSON.parse(stdout.toString());
  expect(readers).toEqual({
    ...{ scenario: "overloaded", catalog: "overloaded", prices: "overloaded", bundle: "overloaded" },
    ...{ recording: "overloaded", images: "overloaded", agent: "overloaded", database: "storage_failed" },
  });
  expect({ mcp, exit }).toEqual({
    mcp: expect.stringMatching(/^overloaded: .*ulimit -n.*; the same call may succeed later$/),
    exit: 1,
  });
  expect(stderr.toString()).not.toContain("fault of abeval");
  expect(stderr.toString().match(/ulimit -n/g)).toHaveLength(2);
});
