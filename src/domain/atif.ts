import { type Static, type TProperties, Type } from "@sinclair/typebox";
import { Count, oneOf, record } from "./schema.ts";

/** Harbor's RFC 0001, https://github.com/harbor-framework/harbor/blob/main/rfcs/0001-trajectory-format.md */
export const ATIF_VERSION = "ATIF-v1.7";

const Extra = Type.Optional(
  Type.Record(Type.String(), Type.Unknown(), { description: "Data for which the format has no field." }),
);

/** A field is absent where nothing is known. */
const optional = <P extends TProperties>(properties: P) => Type.Partial(Type.Object(properties)).properties;

const ToolCall = record("TrajectoryToolCall", {
  tool_call_id: Type.String(),
  function_name: Type.String(),
  arguments: Type.Record(Type.String(), Type.Unknown()),
  extra: Extra,
});

const Observation = record("TrajectoryObservation", {
  results: Type.Array(
    record("TrajectoryResult", {
      ...optional({ source_call_id: Type.String(), content: Type.String() }),
      extra: Extra,
    }),
  ),
});

export const TrajectoryStep = record("TrajectoryStep", {
  step_id: Type.Integer({ minimum: 1, description: "From 1, without gaps." }),
  source: oneOf(["system", "user", "agent"]),
  message: Type.String(),
  ...optional({
    timestamp: Type.String({ description: "When the step ended, ISO 8601." }),
    model_name: Type.String(),
    tool_calls: Type.Array(ToolCall),
    observation: Observation,
    metrics: record(
      "TrajectoryMetrics",
      optional({
        prompt_tokens: Count("All input."),
        completion_tokens: Count("Output."),
        cached_tokens: Count("Within the input."),
      }),
    ),
    llm_call_count: Count("The number of model replies in the step."),
  }),
  extra: Extra,
});
export type TrajectoryStep = Static<typeof TrajectoryStep>;

export const Trajectory = record(
  "Trajectory",
  {
    schema_version: Type.Literal(ATIF_VERSION),
    session_id: Type.String(),
    trajectory_id: Type.String({ description: "`<session id>/<arm id>`." }),
    agent: record("TrajectoryAgent", {
      name: Type.String(),
      version: Type.String(),
      ...optional({ model_name: Type.String() }),
      extra: Extra,
    }),
    steps: Type.Array(TrajectoryStep),
    notes: Type.String(),
    final_metrics: record("TrajectoryTotals", {
      ...optional({
        total_prompt_tokens: Count("Of the arm."),
        total_completion_tokens: Count("Of the arm."),
        total_cached_tokens: Count("Of the arm."),
        total_cost_usd: Type.Number({ minimum: 0 }),
      }),
      total_steps: Count("As listed."),
    }),
    extra: Type.Record(Type.String(), Type.Unknown()),
  },
  { description: "An arm's run in the Agent Trajectory Interchange Format." },
);
export type Trajectory = Static<typeof Trajectory>;
