import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { COMPILER, type Need, NODE, PYTHON, SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { temporaryDirectory } from "../temporary.ts";
import { ASKS_ONCE, runAgent, shellAgent } from "./plain-agent.ts";

/** More than any pipe or socket holds while nobody reads. */
const LINES = 5_000;
const LINE_BYTES = 1_000;

/** A program that ends with a status of its own where a write is refused. */
const COMPILED = `
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int count, char **named) {
  size_t size = ${LINES * LINE_BYTES}, done = 0;
  char *text = malloc(size);
  memset(text, 'x', size);
  while (done < size) {
    ssize_t wrote = write(atoi(named[1]), text + done, size - done);
    if (wrote < 0) return errno == EAGAIN ? 99 : 98;
    done += wrote;
  }
}`;

const python = (to: string) => [
  `import sys\nfor _ in range(${LINES}): print("x" * ${LINE_BYTES - 1}, file=sys.${to})`,
  `import sys\nsys.${to}.write("x" * ${LINES * LINE_BYTES})`,
];
const node = (to: string) => [
  `for (let i = 0; i < ${LINES}; i += 1) console.${to === "stdout" ? "log" : "error"}("x".repeat(${LINE_BYTES - 1}))`,
  `require("fs").writeSync(${to === "stdout" ? 1 : 2}, "x".repeat(${LINES * LINE_BYTES}))`,
];

interface Printer {
  readonly title: string;
  readonly needs: readonly Need[];
  /** Shell commands that each print LINES * LINE_BYTES. */
  commands(to: "stdout" | "stderr"): readonly string[];
}

const PRINTERS: readonly Printer[] = [
  { title: "Python", needs: [PYTHON], commands: (to) => python(to).map((code) => `python3 -c '${code}'`) },
  { title: "Node", needs: [NODE], commands: (to) => node(to).map((code) => `node -e '${code}'`) },
  { title: "compiled", needs: [COMPILER], commands: (to) => [`/home/agent/burst ${to === "stdout" ? 1 : 2}`] },
];

for (const { title, needs, commands } of PRINTERS)
  testNeeding(SANDBOX, ...needs)(
    `${title} agents may print 5 MB at once, as anywhere: no write is refused and no byte is lost`,
    async () => {
      await using fake = await startFakeProvider();
      using directory = temporaryDirectory();
      if (needs.includes(COMPILER)) compile(directory.path);
      // A model is asked first: the way to it is what once changed the agent's output.
      const printed = [...commands("stdout"), ...commands("stderr")];
      const agent = shellAgent(["bun /home/agent/agent.mjs", ...printed].join(" && "), `${ASKS_ONCE} await ask();`);
      const files = { ...agent.files, dir: directory.path, files: agent.files?.files ?? {}, digest: "0".repeat(64) };
      const { summary } = await runAgent(fake, { agent: { ...agent, files } });
      expect(summary.agent?.exit_code).toBe(0);
      const expected = commands("stdout").length * LINES * LINE_BYTES;
      expect([bytesOf(summary.agent?.stdout), bytesOf(summary.agent?.stderr)]).toEqual([expected, expected]);
    },
  );

function compile(directory: string): void {
  const source = join(directory, "burst.c");
  writeFileSync(source, COMPILED);
  Bun.spawnSync(["cc", "-o", join(directory, "burst"), source]);
}

const CUT = /\n\[\.\.\. (\d+) bytes left out \.\.\.\]\n/;

/** Bytes that were printed, of what was kept of them. */
function bytesOf(kept = ""): number {
  return kept.replace(CUT, "").length + Number(CUT.exec(kept)?.[1] ?? 0);
}
