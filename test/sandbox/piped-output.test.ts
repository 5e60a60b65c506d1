import { expect, test } from "bun:test";
import { PassThrough, Readable } from "node:stream";
import { Launcher, type Started } from "../../src/arms/sandbox/process/started.ts";

const CHUNK = Buffer.alloc(64 * 1024, "e");
const CHUNKS = 400;

/** Starts what prints as fast as it is read. */
class Printing extends Launcher {
  readonly kind = "none";
  readonly owner = null;

  async launch(): Promise<Started> {
    const printed = () => Readable.from(Array.from({ length: CHUNKS }, () => CHUNK));
    return {
      pipes: { stdin: new PassThrough(), stdout: printed(), stderr: printed() },
      ended: Promise.resolve({ ended: "exit", exit_code: 0, duration_ms: 0 }),
      stop: () => undefined,
      signal: () => undefined,
      pause: async () => undefined,
      resume: async () => undefined,
    };
  }
}

test.each(["stdout", "stderr"] as const)(
  "others have their turn while %s of a program is read without end",
  async (name) => {
    const program = await new Printing().start(
      { command: "print", directory: "/", network: "none" },
      new AbortController().signal,
    );
    let [since, most, bytes, over] = [0, 0, 0, false];
    const turn = () => {
      since = 0;
      if (!over) setImmediate(turn);
    };
    turn();
    for await (const chunk of program[name]) {
      bytes += chunk.length;
      since += chunk.length;
      most = Math.max(most, since);
    }
    over = true;
    expect(bytes).toBe(CHUNKS * CHUNK.length);
    expect(most).toBeLessThan(4_000_000);
  },
);
