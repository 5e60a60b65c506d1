import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { CLAUDE_CODES } from "../agents/clis.ts";
import { playCli } from "../agents/run-cli.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { runOnce } from "../harness.ts";
import { recordingServices, replayingServices } from "../recording/recorded.ts";
import { scenarioFolder } from "../scenario/scenario-folder.ts";
import { temporaryDirectory } from "../temporary.ts";
import { readPage } from "./pages.ts";

/** An entry of the cookbook: the heading that it stands below, and what it says of the arms. */
interface Entry {
  readonly title: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

const { blocks, text } = await readPage("docs/cookbook.md");
const headingOf = (block: string) =>
  text
    .slice(0, text.indexOf(block))
    .match(/(?<=^## ).*$/gm)
    ?.at(-1) ?? "";

/** Each block with arms. The first is a whole scenario; the others take the place of what it says of its arms. */
export const ENTRIES: readonly Entry[] = blocks
  .filter((block) => block.language === "yaml" && block.text.includes("\narms:"))
  .map((block) => ({ title: headingOf(block.text), fields: parse(block.text) }));

/** What lies beside the scenario file. */
const BESIDE = {
  "with-skill/.claude/skills/iso-dates/SKILL.md":
    "---\nname: iso-dates\ndescription: How this house writes dates.\n---\n\nWrite the year first.\n",
};

interface Ran {
  /** What the arm's model was told, from its recording. */
  readonly told: readonly [string, string];
  readonly outcome: SessionOutcome;
  /** With which keys models were asked. */
  readonly keys: ReadonlySet<string>;
}

/** Runs an entry against a provider that plays the model, then from its recording alone. */
async function runEntry({ fields }: Entry, agents_dir: string, installs: (name: string) => string): Promise<Ran> {
  const [whole] = ENTRIES;
  const written = JSON.stringify({ ...whole?.fields, ...fields }).replaceAll(/claude-2[\d.]+/g, installs);
  const scenario = JSON.parse(written);
  // What the hook of an entry runs leaves a file.
  scenario.task.fixture.files["package.json"] = JSON.stringify({ scripts: { test: "echo tested >> tested.txt" } });
  await using folder = await scenarioFolder({ ...BESIDE, "mine.yaml": JSON.stringify(scenario) });
  const loaded = await loadScenarioFile(folder.path("mine.yaml"));
  const ids: readonly string[] = scenario.arms.map(({ id }: { readonly id: string }) => id);
  using recordings = temporaryDirectory();
  await using server = await startFakeProvider({ reply: playCli(CLAUDE_CODES[1]) });
  const environment = {
    ...server.environment,
    ...{ ACME_ANTHROPIC_BASE_URL: server.url, ACME_API_KEY: "key-of-acme-0123456789" },
  };
  const { outcome } = await runOnce(recordingServices(recordings.path, environment, { agents_dir }), loaded);
  const replayed = await runOnce(replayingServices(recordings.path, { strict: true }, { agents_dir }), loaded);
  for (const one of [outcome, replayed.outcome]) {
    expect(one.failure).toBeNull();
    expect(one.arms.map(({ stop_reason }) => stop_reason)).toEqual(["final_answer", "final_answer"]);
  }
  const [first = "", second = ""] = ids.map((id) => readFileSync(join(recordings.path, "mine", `${id}.jsonl`), "utf8"));
  return {
    outcome,
    told: [first, second],
    keys: new Set(server.requests.map(({ headers }) => headers["x-api-key"] ?? "")),
  };
}

/** What shows that the difference of an entry reached the second arm, and not the first: words that its model was told. */
export const TOLD: Readonly<Record<string, readonly RegExp[]>> = {
  "A CLAUDE.md": [/Run the tests before and after each change/],
  "A skill": [/How this house writes dates/],
  "An MCP server": [/mcp__fs__|mcpServers/],
  "A hook": [],
  "A slash command": [/triage/],
  "A permission mode": [/requires? approval|haven't granted|--permission-mode acceptEdits/],
  "A setting": [/Explanatory/i],
  "A model": [/claude-sonnet-4-5/],
  "A provider": [],
  "A version": [],
};

/** Runs an entry, and fails where its difference did not reach the second arm alone. */
export async function expectEntry(entry: Entry, ...rest: [agents_dir: string, installs: (name: string) => string]) {
  const { outcome, told, keys } = await runEntry(entry, ...rest);
  for (const words of TOLD[entry.title] ?? []) expect(told.map((text) => words.test(text))).toEqual([false, true]);
  const changed = outcome.arms.map(({ changes }) => changes?.files.map(({ path }) => path));
  const hooked = entry.title === "A hook" ? ["calc.js", "tested.txt"] : ["calc.js"];
  expect(changed).toEqual([["calc.js"], hooked]);
  if (entry.title === "A version")
    expect(outcome.arms.map(({ agent }) => agent?.version)).toEqual(["2.1.197", "2.1.330"]);
  if (entry.title === "A provider") expect(keys).toContain("key-of-acme-0123456789");
}
