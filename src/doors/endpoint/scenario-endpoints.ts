import { Type } from "@sinclair/typebox";
import { ScenarioName, ScenarioRequest } from "../../domain/scenario-request.ts";
import { endpoint } from "./endpoint.ts";
import { EXAMPLES } from "./examples.ts";

const ETAG = {
  ETag: { description: "Names the text; `If-Match` replaces that and no other.", schema: { type: "string" } },
} as const;

const DEFINITION = {
  name: "tone",
  task: { prompt: "{{question}}" },
  inputs: [{ id: "refund", question: "Where is my refund?", wanted: "refund" }],
  arms: [
    { id: "small", model: "openai/gpt-5-mini", tools: [] },
    { id: "large", model: "openai/gpt-5", tools: [] },
  ],
  rubric: { criteria: ["Is the answer polite?"] },
};

/** What takes scenarios from callers, where the server was started with `--allow-new-scenarios`. */
export const SCENARIO_ENDPOINTS = {
  keepScenario: endpoint("POST /api/scenarios", {
    tag: "extension",
    title: "Make or replace a scenario",
    description:
      "Keeps a scenario, with all of its rows tried: as a file, or on a database as a row that every server sees. `If-None-Match: *` makes a new one, `If-Match` replaces the one with that `ETag`; a file that no request made is never replaced. Needs `--allow-new-scenarios`; commands, files, programs and addresses need `--allow-commands`, too.",
    body: ScenarioRequest,
    requests: { two_models: { definition: DEFINITION } },
    conditional: true,
    answer: "It is kept.",
    example: { name: DEFINITION.name },
    output: ScenarioName,
    headers: ETAG,
    failures: [
      "invalid_scenario",
      "not_allowed",
      "precondition_required",
      "precondition_failed",
      "overloaded",
      "storage_full",
      "storage_failed",
    ],
  }),
  readScenarioSource: endpoint("GET /api/scenarios/:name/source", {
    tag: "extension",
    title: "Get a scenario as it is written",
    description: "The text of a scenario, as its file or its row has it. Needs `--allow-new-scenarios`.",
    fields: Type.Object({
      name: Type.String({ description: "Scenario name.", examples: [EXAMPLES.session.definition.name] }),
    }),
    answer: "The text.",
    media: { "application/yaml": { example: "name: tone\n" } },
    headers: ETAG,
    unchanged: "The text is the one whose `ETag` the request names in `If-None-Match`.",
    failures: ["unknown_scenario", "invalid_scenario", "not_allowed", "storage_failed"],
  }),
};
