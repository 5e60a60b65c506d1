import { expect, test } from "bun:test";
import { collectGarbage } from "../../src/runtime/collect-garbage.ts";

/** Microseconds of CPU that this thread takes. */
function cpuOf(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}

const leastOf = (work: () => void) => Math.min(...Array.from({ length: 5 }, () => cpuOf(work)));

test("garbage among many objects is collected beside the work, which goes on", () => {
  const held = Array.from({ length: 400_000 }, (_, at) => ({ at, more: { list: [at] } }));
  const at_once = leastOf(() => Bun.gc(true));
  expect(leastOf(collectGarbage)).toBeLessThan(at_once / 2);
  expect(held).toHaveLength(400_000);
});
