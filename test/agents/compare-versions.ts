import { expect } from "bun:test";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { abeval, scenarioFile } from "../abeval.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { playAgent } from "../fake-provider/play-agent.ts";
import { NODE, SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { temporaryDirectory } from "../temporary.ts";
import { type Change, CLAUDE_CODES, type Cli, CODEXES, claudeTurns, codexTurns } from "./clis.ts";
import { AGENTS_DIR, install, registry } from "./installs.ts";

const VERSIONS = [
  [CLAUDE_CODES, claudeTurns],
  [CODEXES, codexTurns],
] as const;

const installed = install(
  Object.fromEntries(VERSIONS.flatMap(([pair]) => pair.map((cli) => [cli.install, cli.package]))),
);
const testCli = testNeeding(registry(installed), SANDBOX, NODE);

const NAME = "pager-last-page";
const FIX: Change = {
  path: "src/pager.ts",
  old: "  return Math.max(1, Math.floor(total / size));",
  text: "  return Math.max(1, Math.ceil(total / size));",
  // What bun prints to stdout and to stderr comes in an order of chance.
  commands: ["bun test order-list.test.ts >/dev/null 2>&1", "ls src"],
};

/** Both do what the reference does. Their model plays the same script each time, so a series claims nothing. */
const TIE = {
  outcome: "tie",
  facts: { a: { probe: { passed: 4 } } },
  flags: ["equal_work", "single_trial", "replayed"],
};
const ALIKE = { conclusion: "undecided", counts: { ties: 2, trials: 2 }, flags: ["no_variation", "few_tasks"] };

/** The bundled scenario, its arms replaced by two versions of one agent. */
async function bundledWith(pair: readonly [Cli, Cli], directory: string): Promise<string> {
  const scenario = parse(await Bun.file(scenarioFile(NAME)).text());
  cpSync(scenarioFile(NAME).replace(/\.yaml$/, ""), join(directory, NAME), { recursive: true });
  const arms = ["old", "new"].map((id, i) => {
    const { model, use, install: name } = pair[i] ?? pair[0];
    return { id, model, agent: `${use}@${name}` };
  });
  const { policies, rubric, task } = scenario;
  const judge = { model: "builtin/evidence" };
  const file = join(directory, "versions.yaml");
  writeFileSync(
    file,
    JSON.stringify({ name: "versions", varies: ["agent"], task, policies, arms, rubric: { ...rubric, judge } }),
  );
  return file;
}

for (const [pair, turnsFor] of VERSIONS)
  for (const flags of [[], ["--trials", "2"]])
    testCli(
      `${pair.map((cli) => cli.install).join(" and ")} are compared${flags.length > 0 ? " in a series" : ""}, and again without a provider`,
      async () => {
        using directory = temporaryDirectory();
        const file = await bundledWith(pair, directory.path);
        const run = (...more: string[]) => [
          ...["run", file, "--agents-dir", AGENTS_DIR, "--state-dir", join(directory.path, more[0] ?? "")],
          ...[...flags, ...more, join(directory.path, "recordings")],
        ];
        const fake = await startFakeProvider({ reply: playAgent([{ knownBy: "Ticket 2318", turns: turnsFor(FIX) }]) });
        const recorded = await abeval(run("--record"), { env: fake.environment });
        expect([recorded.status, recorded.stderr.match(/^abeval: .*/gm)]).toEqual([0, null]);
        expect(fake.requests).toHaveLength(flags.length > 0 ? 16 : 8);
        await fake[Symbol.asyncDispose]();
        // A provider's list prices go by its address.
        const addresses = Object.entries(fake.environment).filter(([name]) => name.endsWith("_BASE_URL"));
        const replayed = await abeval(run("--replay"), { env: Object.fromEntries(addresses) });
        expect([replayed.status, replayed.stderr.match(/^abeval: .*/ms)]).toEqual([0, null]);
        const [first, second] = [recorded, replayed].map(({ stdout }) => JSON.parse(stdout));
        expect(saidOf(second)).toEqual(saidOf(first));
        expect(second).toMatchObject(flags.length > 0 ? ALIKE : TIE);
      },
    );

/** What does not depend on the moment of a verdict or of a report of a series. */
const saidOf = (said: Readonly<Record<string, unknown>>) =>
  ["outcome", "criteria", "decided_by", "conclusion", "counts", "statement"].map((key) => said[key]);
