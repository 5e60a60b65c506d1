import { expect } from "bun:test";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import { openSeries } from "../../src/comparison/session/open-series.ts";
import { trialRowOf } from "../../src/domain/trial.ts";
import { seriesReport } from "../../src/doors/operation/find-series.ts";
import type { ReplyCall, SeenRequest } from "../fake-provider/exchange.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { runOnce, testServices } from "../harness.ts";
import { wellFormed } from "../judge/mock-judge.ts";
import { NODE, SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { scenarioFolder } from "../scenario/scenario-folder.ts";
import { AGENTS_DIR, install, registry } from "./installs.ts";

const SKILL = `---
name: iso-dates
description: How this house writes dates. Use it whenever a date is written into a file.
---

Write the year first, then a full stop, as in 2026.11.24.
`;

const [CLAUDE, SHARED] = [".claude/skills/iso-dates/SKILL.md", ".agents/skills/iso-dates/SKILL.md"];

/** An agent, where it looks for skills, how it reads one, and how it writes a date. */
const AGENTS = [
  {
    ...{ use: "claude-code", install: "claude-code-2.1.330", package: "@anthropic-ai/claude-code@2.1.330" },
    ...{ model: "anthropic/claude-x", path: CLAUDE },
    read: { name: "Skill", input: { skill: "iso-dates" } },
    write: (date: string) => ({ name: "Write", input: { file_path: "/workspace/out.txt", content: `${date}\n` } }),
  },
  {
    ...{ use: "codex", install: "codex-0.169.0", package: "@openai/codex@0.169.0" },
    ...{ model: "openai/gpt-5.5", path: SHARED },
    read: { name: "exec_command", input: { cmd: `cat ${SHARED}` } },
    write: (date: string) => ({ name: "exec_command", input: { cmd: `echo ${date} > out.txt` } }),
  },
  {
    ...{ use: "pi", install: "pi-0.74.2", package: "@earendil-works/pi-coding-agent@0.74.2" },
    ...{ model: "anthropic/claude-x", path: SHARED },
    read: { name: "read", input: { path: SHARED } },
    write: (date: string) => ({ name: "write", input: { path: "out.txt", content: `${date}\n` } }),
  },
];

const installed = install(Object.fromEntries(AGENTS.map((agent) => [agent.install, agent.package])));

/** A model that uses the skill where it is told of one and wants to, and says so. */
function played(
  request: SeenRequest,
  { read, write }: (typeof AGENTS)[number],
  wants: () => string | null = () => "I use the iso-dates skill.",
) {
  const called = (call: ReplyCall, text = "") => ({ text, calls: [{ id: `call_${call.name}`, ...call }] });
  const knows = JSON.stringify(request.body).includes("iso-dates");
  const turn = request.messages.filter(({ role }) => role === "assistant").length;
  if (request.tools.length === 0) return { text: "A title." };
  if (turn === 0) {
    const words = knows ? wants() : null;
    return words === null ? called(write("24.11.2026")) : called(read, words);
  }
  if (turn === 1 && hasCalled(request, read)) return { text: "", calls: [{ id: "call_last", ...write("2026.11.24") }] };
  return { text: knows ? "Write the year first, then a full stop, as in 2026.11.24: done." : "Done." };
}

const hasCalled = ({ messages }: SeenRequest, { name, input }: Omit<ReplyCall, "id">) =>
  messages.some(
    (message) =>
      message.role === "assistant" &&
      message.calls.some((call) => call.name === name && JSON.stringify(call.input) === JSON.stringify(input)),
  );

/** With and without the skill, by this agent. */
const datesScenario = (agent: (typeof AGENTS)[number]) =>
  JSON.stringify({
    ...{ name: "dates", varies: ["files"], rubric: { criteria: ["Is it tidy?"] } },
    task: {
      prompt: "Write the date of 24 November 2026 into out.txt.",
      probe: {
        checks: [
          { id: "form", run: "grep -q 2026.11.24 out.txt && ! test -e .claude && ! test -e .agents", required: true },
        ],
      },
    },
    arms: [
      { id: "without", agent: { use: agent.use, install: agent.install }, model: agent.model },
      { id: "with", extends: "without", files: { [agent.path]: SKILL } },
    ],
  });

const testCli = testNeeding(registry(installed), SANDBOX, NODE);

for (const agent of AGENTS)
  testCli(`${agent.use} reads a skill where it has one, and the judge learns nothing of it`, async () => {
    const judged: string[] = [];
    await using server = await startFakeProvider({
      reply: (request) => {
        if (request.model !== "judge") return played(request, agent);
        judged.push(JSON.stringify(request.body));
        const asked = { ...request, params: { max_output_tokens: 1 }, timeout_ms: 1 } as never; // what a judge reads of it
        const input = wellFormed(asked, (_slot, ids) => Object.fromEntries(ids.map((id) => [id, 2])));
        return { calls: [{ name: request.force_tool ?? "", input }] };
      },
    });
    await using folder = await scenarioFolder({ "dates.yaml": datesScenario(agent) });
    const services = testServices(server.environment, { agents_dir: AGENTS_DIR });
    const loaded = await loadScenarioFile(folder.path("dates.yaml"));
    const { outcome } = await runOnce(services, loaded, { judge_model: "anthropic/judge" });
    expect(outcome.failure).toBeNull();
    expect(trialRowOf(outcome).skills).toEqual({ a: {}, b: { "iso-dates": true } });
    expect(outcome.arms.map(({ probe }) => probe?.passed)).toEqual([0, 1]);
    expect(outcome.arms.map(({ changes }) => changes?.files.map(({ path }) => path))).toEqual([
      ["out.txt"],
      ["out.txt"],
    ]);
    expect(judged.length).toBe(2);
    expect(judged.filter((text) => /iso-dates|SKILL\.md|year first, then|How this house/.test(text))).toEqual([]);
  });

for (const agent of AGENTS)
  testCli(
    `a series of ${agent.use} tells in how many trials a skill fired, and what became of both groups`,
    async () => {
      let begun = 0;
      const wants = () => {
        begun += 1;
        // Equal trials would count once.
        return begun % 3 === 0 ? null : `I use the iso-dates skill, as ${begun} did.`;
      };
      await using server = await startFakeProvider({ reply: (request) => played(request, agent, wants) });
      await using folder = await scenarioFolder({ "dates.yaml": datesScenario(agent) });
      const services = testServices(server.environment, { agents_dir: AGENTS_DIR });
      const load = () => loadScenarioFile(folder.path("dates.yaml"));
      const source = { scenarios: [await load()], load };
      const { done } = await openSeries(services, source, { trials: 3, judge_model: "builtin/evidence" });
      const report = await seriesReport(services.store, await done);
      expect(report).toMatchObject({ state: "completed", counts: { trials: 3 } });
      expect(report.arms.b.skills).toEqual([
        {
          ...{ name: "iso-dates", fired: 2, trials: 3 },
          ...{ solved_fired: { solved: 2, trials: 2 }, solved_silent: { solved: 0, trials: 1 } },
        },
      ]);
      expect(report.arms.a.skills).toBeUndefined();
    },
  );
