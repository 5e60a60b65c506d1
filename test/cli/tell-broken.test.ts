import { expect, test } from "bun:test";
import { PROGRAM, ROOT } from "../abeval.ts";
import { SHORT, scenarioFolder } from "../scenario/scenario-folder.ts";

/** What the program says on stderr up to some words; its input stays open, so that it goes on running. */
async function saidUntil(words: string, args: readonly string[]): Promise<string> {
  const env = { PATH: process.env["PATH"] ?? "", HOME: "/dev/null/home" };
  const pipes = { stdin: "pipe", stdout: "ignore", stderr: "pipe" } as const;
  await using program = Bun.spawn([...PROGRAM, ...args], { cwd: ROOT, env, ...pipes });
  let said = "";
  for await (const chunk of program.stderr.pipeThrough(new TextDecoderStream())) {
    said += chunk;
    if (said.includes(words)) break;
  }
  return said;
}

test.each(["serve --addr 127.0.0.1:0", "mcp"])("abeval %s names the broken scenarios at its start", async (command) => {
  await using folder = await scenarioFolder({ "short.yaml": SHORT, "broken.yaml": "name: broken\n" });
  const said = await saidUntil("says why\n", [...command.split(" "), "--scenarios-dir", folder.directory]);
  expect(said).toContain(`1 scenario is broken: broken; abeval check ${folder.directory}/<file> says why\n`);
});

test("abeval mcp says at its start that there are no scenarios", async () => {
  await using folder = await scenarioFolder();
  const said = await saidUntil("exist\n", ["mcp", "--scenarios-dir", folder.path("gone")]);
  expect(said).toContain("abeval: the scenarios directory gone does not exist\n");
});
