import { openSync, writeSync } from "node:fs";
import { inChild } from "../../src/runtime/child-work.ts";

/** A program that has no descriptor left when it asks for work. */
function openAll(): void {
  try {
    for (;;) openSync("/dev/null", "r");
  } catch {
    // There is none left.
  }
}

openAll();
writeSync(1, JSON.stringify(await inChild("find-pattern", { source: "a", text: "a" })));
process.exit(0);
