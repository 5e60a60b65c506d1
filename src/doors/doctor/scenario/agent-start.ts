import { displaced } from "../../../arms/recipe/arguments.ts";
import { recipeOf } from "../../../arms/recipe/recipes.ts";
import { isAgentArm } from "../../../comparison/planning/agent-runner.ts";
import { crashOf } from "../../../domain/agent-crash.ts";
import type { ExternalAgent } from "../../../domain/external-agent.ts";
import { Failure } from "../../../domain/failure.ts";
import { hasCallRules, type Policies } from "../../../domain/policies.ts";
import { type Check, type Finding, fail, pass, warn } from "../check.ts";
import { IDLE } from "../idle.ts";
import type { DryRun } from "./dry-run.ts";
import { REHEARSAL_S, type Rehearsal } from "./rehearse-agent.ts";

/** Costs nothing and needs no key: a provider of our own answers. It finds most of what keeps an agent from its work. */
export const agentsStart: Check<DryRun> = {
  id: "agents.start",
  title: "External agents start",
  needs: ["agents.dir", "agents.wire", "fixture.setup"],
  async run(dryRun, signal) {
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
};

function findingOf(
  id: string,
  { end, decisions, first_request_ms, offers_tools }: Rehearsal,
  policies: Policies,
): Finding {
  const { status, stop_reason, cause, agent } = end;
  if (status === "failed")
    return fail(cause instanceof Failure ? cause.message : `${id}: ${String(cause)}`, START_HINT);
  if (first_request_ms === null) return fail(`${id}: asked no model within ${REHEARSAL_S} s`, START_HINT);
  const version = agent?.version ? ` ${agent.version}` : "";
  const asked = `${id}:${version} asked its model after ${(first_request_ms / 1000).toFixed(1)} s`;
  if (stop_reason === "budget:seconds")
    return warn(`${asked} and went on after its model was done`, `it must end by itself within ${REHEARSAL_S} s`);
  const notes = decisions.flatMap(({ kind, summary }) => (["policy_block", "error"].includes(kind) ? [summary] : []));
  const ended = `${asked} and ended with exit code ${agent?.exit_code ?? "unknown"}`;
  if (stop_reason !== "final_answer") return warn([`${ended}, without an answer`, ...notes].join("; "), ANSWER_HINT);
  if (crashOf(end) !== null) return warn([ended, ...notes].join("; "), CRASH_HINT);
  if (!offers_tools && hasCallRules(policies)) return warn(`${ended}; it offers its model no tools`, UNSEEN_HINT);
  return pass([ended, ...notes].join("; "));
}

/** What abeval usually tells the agent, and its arguments say otherwise. */
function displacedBy(agent: ExternalAgent): readonly string[] {
  const { arguments: rules } = recipeOf(agent);
  const flags = rules ? displaced(rules, agent.args) : [];
  return flags.length === 0 ? [] : [`its args take the place of ${flags.join(" and ")}`];
}

const CRASH_HINT =
  "an arm whose agent ends so counts as crashed; when the exit code is ordinary for it, list it in `agent.ok_exit`";

const UNSEEN_HINT =
  "its commands are text to abeval: no rule of `policies.commands` stops one, and `policies.required` counts none";

const START_HINT = "start the same command by hand; `args`, `env` and `files` of the agent say how it is called";

const ANSWER_HINT =
  "its model had it run `true` where it could, and then answered with a text, which ends a task: see what else the agent waited for";
