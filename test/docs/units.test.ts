import { expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../abeval.ts";
import type { Need } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { temporaryDirectory } from "../temporary.ts";
import { readPage } from "./pages.ts";

const SYSTEMD: Need = { what: "systemd-analyze", met: Bun.which("systemd-analyze") !== null };

const pages = await Promise.all(
  readdirSync(join(ROOT, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => readPage(`docs/${name}`)),
);

/** Every unit of systemd that a page shows. */
const units = pages.flatMap(({ blocks }) =>
  blocks.filter(({ text }) => text.includes("[Service]")).map(({ text }) => text),
);

test("every unit in the pages tells systemd to leave the commands of arms alone", () => {
  expect(units.length).toBeGreaterThan(0);
  for (const unit of units) {
    const lines = unit.split("\n");
    expect(lines).toContain("KillMode=mixed");
    expect(lines).toContain("OOMPolicy=continue");
    expect(lines).toContain("Delegate=yes");
  }
});

testNeeding(SYSTEMD)("every unit in the pages is read by systemd without a word", async () => {
  using directory = temporaryDirectory();
  for (const [index, unit] of units.entries()) {
    const file = join(directory.path, `abeval-${index}@1.service`);
    // The program need not be installed where the test runs.
    writeFileSync(file, unit.replace(/^ExecStart=\S+/m, "ExecStart=/bin/true"));
    const verify = Bun.spawn(["systemd-analyze", "verify", file], { stdout: "pipe", stderr: "pipe" });
    const said = await new Response(verify.stderr).text();
    expect({ said, status: await verify.exited }).toEqual({ said: "", status: 0 });
  }
});
