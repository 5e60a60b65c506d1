import { expect, test } from "bun:test";
import { join } from "node:path";
import { REQUIREMENTS } from "./requirements.ts";

test("every requirement of the specification has a test", async () => {
  const files = [...new Bun.Glob("*.test.ts").scanSync(import.meta.dir)];
  const texts = await Promise.all(files.map((file) => Bun.file(join(import.meta.dir, file)).text()));
  const verified = new Set(
    texts.flatMap((text) =>
      [...text.matchAll(/verifies\w*\(\s*\[([^\]]*)\]/g)].flatMap(([, ids]) => (ids ?? "").match(/[\w:.-]+/g) ?? []),
    ),
  );
  expect(Object.keys(REQUIREMENTS).filter((id) => !verified.has(id))).toEqual([]);
});
