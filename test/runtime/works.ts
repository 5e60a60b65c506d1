import { writeSync } from "node:fs";
import { getPriority } from "node:os";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { OverLimit } from "../../src/runtime/bounded.ts";
import { answerChildWork } from "../../src/runtime/child-work.ts";

/** A program whose works go wrong in every way. */
const WORKS = {
  double: async () => (n: number) => 2 * n,
  environment: async () => () => Object.keys(process.env).sort(),
  priority: async () => () => getPriority(),
  refuse: async () => () => {
    throw new OverLimit("takes more than 5 steps");
  },
  throw: async () => () => {
    throw new Error("no such table");
  },
  hoard: async () => () => {
    const hoard: Uint8Array[] = [];
    for (;;) hoard.push(new Uint8Array(1_000_000).fill(1));
  },
  abort: async () => () => process.abort(),
  spin: async () => () => {
    for (;;);
  },
  wait: async () => () => sleep(600_000),
  "be-killed": async () => () => process.kill(process.pid, "SIGKILL"),
  descend: async () =>
    function descend(): number {
      return 1 + descend();
    },
};

writeSync(1, await answerChildWork(WORKS, process.argv[2] ?? "", await text(process.stdin)));
