import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { redactKeyShapes } from "../../../arms/model/redaction.ts";
import { displaced } from "../../../arms/recipe/arguments.ts";
import { installOf } from "../../../arms/recipe/install.ts";
import { recipeOf, wireOf, wireProblem } from "../../../arms/recipe/recipes.ts";
import { isReachable, sandboxOwner } from "../../../arms/sandbox/temp-dir.ts";
import { type AgentArm, isAgentArm } from "../../../comparison/planning/agent-runner.ts";
import { filesSource } from "../../../comparison/scenario/fixture-source.ts";
import type { ScenarioPlace } from "../../../comparison/scenario/loaded-scenario.ts";
import { listMaterial } from "../../../comparison/scenario/materials.ts";
import { crashOf } from "../../../domain/end-text.ts";
import type { ExternalAgent } from "../../../domain/external-agent.ts";
import { Failure } from "../../../domain/failure.ts";
import { hasCallRules, type Policies } from "../../../domain/policies.ts";
import type { FileSet } from "../../../domain/task.ts";
import { after, afterSetup, type Check, check, type Finding, fail, IDLE, orRefusal, pass, warn } from "../check.ts";
import type { DeclaredScenario } from "../services.ts";
import { agentSkills, armFiles, mcpStart } from "./arm-files.ts";
import type { DryRun } from "./dry-run.ts";
import { REHEARSAL_S, type Rehearsal } from "./rehearse-agent.ts";

const agentsOf = ({ loaded }: Pick<DeclaredScenario, "loaded">): AgentArm[] =>
  loaded.definition.arms.filter(isAgentArm);

/** An install is read by whoever the sandbox runs commands as. */
const agentsDir = check(
  "agents.dir",
  "External agents are installed",
  async ({ services, loaded }: DeclaredScenario) => {
    const arms = agentsOf({ loaded });
    if (arms.length === 0) return pass(IDLE.no_agent);
    const lines: string[] = [];
    for (const { id, agent } of arms) {
      const install = await orRefusal(() => installOf(services.agents_dir, agent));
      if (install instanceof Failure) return fail(`${id}: ${install.message}`, DIR_HINT);
      if (install && !isReachable(`${install.path}/x`, sandboxOwner()))
        return fail(
          `${id}: the user of the sandbox cannot reach ${install.path}`,
          "install it in a directory that other users can read",
        );
      lines.push(
        `${id}: ${install ? `${agent.install} ${install.version ?? "without a version"}` : "needs no install"}`,
      );
    }
    return pass(lines.join("; "));
  },
);

const DIR_HINT = "each agent has a directory of its own below --agents-dir";

/** Compares the version of the installed npm package, because options and tools change between versions. No program is started. */
const agentsVersion = after("agents.dir")(
  "agents.version",
  "External agents have tested versions",
  async ({ services, loaded }: DeclaredScenario) => {
    const arms = agentsOf({ loaded });
    if (arms.length === 0) return pass(IDLE.no_agent);
    const strangers: string[] = [];
    for (const { id, agent } of arms) {
      const { tested, title } = recipeOf(agent);
      const version = (await installOf(services.agents_dir, agent))?.version ?? null;
      if (tested.length > 0 && (version === null || !tested.includes(version)))
        strangers.push(
          `${id}: ${title} ${version ?? "of an unknown version"}, while abeval was tested with ${tested.join(" and ")}`,
        );
    }
    return strangers.length === 0
      ? pass("each was tested with abeval, or is your own command")
      : warn(strangers.join("; "), "it may still work: the check agents.start shows it");
  },
);

const agentsWire = check("agents.wire", "External agents can reach their models", ({ loaded }: DeclaredScenario) => {
  const arms = agentsOf({ loaded });
  if (arms.length === 0) return pass(IDLE.no_agent);
  const problems = arms.flatMap(({ id, agent, model }) => {
    const problem = wireProblem(agent, model);
    return problem === null ? [] : [`${id}: ${problem}`];
  });
  if (problems.length > 0) return fail(problems.join("\n"), null);
  return pass(arms.map(({ id, agent, model }) => `${id}: ${model} by ${wireOf(agent, model)}`).join("; "));
});

/** Names under which agents keep the login of a person. */
const LOGINS = [".credentials.json", "auth.json", "oauth_creds.json", "hosts.json"];

/** Bytes of a file that are searched for keys: settings are short. */
const SEARCHED_BYTES = 1_000_000;

/** The agent can read and send whatever lies there, and the scenario would spread it. */
const agentsHome = check("agents.home", "External agents hold no secrets", async ({ loaded }: DeclaredScenario) => {
  const arms = agentsOf({ loaded });
  if (arms.length === 0) return pass(IDLE.no_agent);
  const found: string[] = [];
  for (const arm of arms) found.push(...(await secretsOf(arm, loaded)).map((what) => `${arm.id}: ${what}`));
  return found.length === 0
    ? pass("no file, variable or argument holds a secret")
    : fail(found.join("\n"), "remove it: abeval holds the keys, and an agent needs none");
});

async function secretsOf({ agent, files }: AgentArm, place: ScenarioPlace): Promise<string[]> {
  const texts = [...(await textsIn(place, agent.files)), ...(await textsIn(place, files ?? null))];
  const logins = texts.filter(({ where }) => LOGINS.includes(basename(where)));
  const given = [
    ...texts,
    ...Object.entries(agent.env).map(([name, text]) => ({ where: `variable ${name}`, text })),
    ...agent.args.map((text) => ({ where: "an argument", text })),
  ];
  return [
    ...logins.map(({ where }) => `${where} is the login of a person`),
    ...given
      .filter(({ text }) => redactKeyShapes(text) !== text)
      .map(({ where }) => `${where} holds what looks like a key`),
  ];
}

async function textsIn(place: ScenarioPlace, set: FileSet | null) {
  const { dir, files } = filesSource(place, set);
  const entries = dir === null ? [] : await listMaterial(dir);
  return [
    ...Object.entries(files).map(([path, text]) => ({ where: path, text })),
    ...(await Promise.all(
      entries
        .filter(({ stats }) => stats.isFile() && stats.size <= SEARCHED_BYTES)
        .map(async ({ path, absolute }) => ({ where: path, text: await readFile(absolute, "utf8") })),
    )),
  ];
}

/** Agents that are scripts of Node run on the one that commands of this machine find. */
const agentsNode = afterSetup(
  "agents.node",
  "External agents find the Node version they need",
  async (dryRun: DryRun, signal) => {
    const needs = agentsOf(dryRun).flatMap(({ id, agent }) => {
      const { min_node, title } = recipeOf(agent);
      return min_node === null ? [] : [{ id, min_node, title }];
    });
    if (needs.length === 0) return pass(agentsOf(dryRun).length === 0 ? IDLE.no_agent : IDLE.no_node);
    const found = (await dryRun.printed("node --version", signal)).trim();
    const major = Number(/^v(\d+)\./.exec(found)?.[1]);
    const lacking = needs.filter(({ min_node }) => !(major >= min_node));
    if (lacking.length === 0) return pass(`Node ${found}`);
    const lines = lacking.map(({ id, min_node, title }) => `${id}: ${title} needs Node ${min_node} or newer`);
    return fail(`${lines.join("; ")}; commands find ${Number.isNaN(major) ? "none" : found}`, "install a newer Node");
  },
);

/** Starts each agent against a mock provider, which costs nothing and needs no key. It finds most of what keeps an agent from its work. */
const agentsStart = after("agents.dir", "agents.wire", "fixture.setup")(
  "agents.start",
  "External agents start",
  async (dryRun: DryRun, signal) => {
    const arms = dryRun.loaded.definition.arms.filter(isAgentArm);
    if (arms.length === 0) return pass(IDLE.no_agent);
    const findings: Finding[] = [];
    for (const arm of arms) {
      const rehearsal = await dryRun.rehearse(arm, signal);
      const finding = findingOf(arm.id, rehearsal, dryRun.loaded.definition.policies);
      findings.push({ ...finding, detail: [finding.detail, ...displacedBy(arm.agent)].join("; ") });
    }
    const worst = findings.find(({ status }) => status === "fail") ?? findings.find(({ status }) => status === "warn");
    const detail = findings.map((finding) => finding.detail).join("; ");
    return { status: worst?.status ?? "pass", detail, hint: worst?.hint ?? null };
  },
);

function findingOf(
  id: string,
  { end, decisions, first_request_ms, offers_tools }: Rehearsal,
  policies: Policies,
): Finding {
  const { status, stop_reason, cause, agent } = end;
  if (status === "failed")
    return fail(cause instanceof Failure ? cause.message : `${id}: ${String(cause)}`, START_HINT);
  if (first_request_ms === null) return fail(`${id}: called no model within ${REHEARSAL_S} s`, START_HINT);
  const version = agent?.version ? ` ${agent.version}` : "";
  const asked = `${id}:${version} called its model after ${(first_request_ms / 1000).toFixed(1)} s`;
  if (stop_reason === "budget:seconds")
    return warn(
      `${asked} and kept running after its model had finished`,
      `it must end by itself within ${REHEARSAL_S} s`,
    );
  const notes = decisions.flatMap(({ kind, summary }) => (["policy_block", "error"].includes(kind) ? [summary] : []));
  const ended = `${asked} and ended with exit code ${agent?.exit_code ?? "unknown"}`;
  if (stop_reason !== "final_answer") return warn([`${ended}, without an answer`, ...notes].join("; "), ANSWER_HINT);
  if (crashOf(end) !== null) return warn([ended, ...notes].join("; "), CRASH_HINT);
  if (!offers_tools && hasCallRules(policies)) return warn(`${ended}; it offers no tools to its model`, UNSEEN_HINT);
  return pass([ended, ...notes].join("; "));
}

/** Arguments of the scenario that override what abeval usually tells the agent. */
function displacedBy(agent: ExternalAgent): readonly string[] {
  const { arguments: rules } = recipeOf(agent);
  const flags = rules ? displaced(rules, agent.args) : [];
  return flags.length === 0 ? [] : [`its args take the place of ${flags.join(" and ")}`];
}

const CRASH_HINT =
  "an arm whose agent ends this way counts as crashed; if the exit code is normal for this agent, list it in `agent.ok_exit`";

const UNSEEN_HINT =
  "abeval sees its commands only as text, so `policies.commands` stops none and `policies.required` counts none";

const START_HINT = "run the same command by hand; the agent's `args`, `env` and `files` say how abeval calls it";

const ANSWER_HINT =
  "its model had it run `true` where it could, and then answered with a text, which ends a task: see what else the agent waited for";

export const agentChecks: readonly Check<DeclaredScenario>[] = [agentsDir, agentsVersion, agentsWire, agentsHome];

export const programChecks: readonly Check<DryRun>[] = [armFiles, agentsNode, mcpStart, agentsStart, agentSkills];
