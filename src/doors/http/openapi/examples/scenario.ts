import type { Arm } from "../../../../domain/arm.ts";
import { DEFAULT_BUDGET } from "../../../../domain/defaults.ts";
import type { Scenario } from "../../../../domain/scenario.ts";
import type { ScenarioListing } from "../../../../domain/scenario-listing.ts";

const DIGEST = "9f2b6c1d8e4a7053".repeat(4);

const PLAIN: Arm = {
  id: "plain",
  title: "Plain prompt",
  model: "anthropic/claude-sonnet-4-5",
  system_prompt: "You are a careful engineer.",
  tools: ["read_file", "edit_file", "run_command"],
  params: { temperature: 0 },
  limits: { max_turns: 30 },
  price_per_mtok: { in: 3, out: 15, cached_in: 0.3, cache_write: 3.75 },
  script: null,
};

/** The same model in the hands of an external agent, which has tools of its own. */
const EXTERNAL: Arm = {
  ...PLAIN,
  id: "claude-code",
  title: "Claude Code",
  system_prompt: "",
  tools: [],
  agent: {
    use: "claude-code",
    command: null,
    install: "claude-2.1.330",
    args: [],
    files: null,
    env: {},
    wires: ["anthropic"],
    tools: {},
    side_model: "keep",
  },
};

export const EXAMPLE_SCENARIO: Scenario = {
  name: "pager-last-page",
  title: "The pager drops the last page",
  description: "A small bug with one visible and one hidden symptom.",
  tags: ["bugfix", "typescript"],
  varies: ["agent"],
  task: {
    prompt: "The last page of results is missing. Fix it; keep the public API.",
    fixture: { dir: "pager-last-page/fixture", files: {}, digest: DIGEST },
    setup: [],
    probe: {
      files: { dir: "pager-last-page/probe", files: {}, digest: DIGEST },
      checks: [
        {
          id: "last-page",
          run: "bun test hidden.test.ts",
          before: "fail",
          required: true,
          weight: 3,
          timeout_s: 60,
          expect_exit: 0,
          output_matches: "2 pass",
        },
      ],
    },
    reference_fix: { patch: "--- a/src/pager.ts\n+++ b/src/pager.ts\n@@ -3 +3 @@\n-n - 1\n+n\n", digest: DIGEST },
    deliverable: ["src/**"],
  },
  arms: [PLAIN, EXTERNAL],
  policies: {
    budget: { ...DEFAULT_BUDGET, max_cost_usd: 0.5 },
    commands: { deny: ["git push*"], allow: null, timeout_s: 60, max_output_kb: 64 },
    paths: { writable: ["**"], protected: ["pager.test.ts"] },
    network: "none",
    required: [{ id: "ran-tests", tool: "run_command", match: "bun test*", min: 1 }],
    severity: { protected_path: "disqualify", denied_command: "warn", required: "warn" },
  },
  rubric: {
    instructions: "",
    tie_margin: 0.05,
    criteria: [
      {
        id: "root-cause",
        kind: "judged",
        question: "Is the bug fixed at its root?",
        weight: 5,
        anchors: { "0": "not fixed", "2": "symptom hidden", "4": "fixed at the root" },
      },
      { id: "small", kind: "measured", measure: "changed_lines", weight: 1 },
    ],
    judge: { model: "openai/gpt-5", probe_visibility: "shown", max_evidence_tokens: 12_000 },
  },
};

export const EXAMPLE_DIGEST = DIGEST;

export const EXAMPLE_SCENARIO_ROW: ScenarioListing = {
  name: EXAMPLE_SCENARIO.name,
  title: EXAMPLE_SCENARIO.title,
  description: EXAMPLE_SCENARIO.description,
  tags: EXAMPLE_SCENARIO.tags,
  arms: EXAMPLE_SCENARIO.arms.map(({ id, title, model }) => ({ id, title, model })),
  error: null,
};
