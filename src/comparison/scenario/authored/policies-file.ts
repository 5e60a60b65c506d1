import { type Static, Type } from "@sinclair/typebox";
import { SEVERITIES } from "../../../domain/policies.ts";
import { oneOf, record } from "../../../domain/schema.ts";
import { BUDGET_LIMITS, Globs, Name, optional, Seconds, Text } from "./fields.ts";

const RequiredFile = record("RequiredFile", {
  id: Name("Name of the behaviour."),
  tool: Type.Optional(Text("Tool that must be called; one of an MCP server as `<server>__<tool>`.")),
  skill: Type.Optional(Text("In the place of `tool`: name of a skill that an agent must read.")),
  match: Type.Optional(Text("Glob on the command or path of the call; absent = any call.")),
  min: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 10_000, description: "Calls at least; default 1, with `max: 0` 0." }),
  ),
  max: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 10_000, description: "Calls at most; 0 forbids. Default any number." }),
  ),
});

export const PoliciesFile = optional(
  "PoliciesFile",
  {
    budget: optional("BudgetFile", BUDGET_LIMITS, "What each arm may use."),
    commands: optional(
      "CommandsFile",
      {
        deny: Globs("Commands refused, as globs; `*` also matches spaces and slashes."),
        allow: Globs("When given, only these commands may run."),
        timeout_s: Seconds("Seconds for one command; default 60."),
        max_output_kb: Type.Number({
          exclusiveMinimum: 0,
          maximum: 10_240,
          description: "kB of output a model reads of one command; default 64.",
        }),
      },
      "Rules for run_command. A guard rail, not a boundary.",
    ),
    paths: optional(
      "PathsFile",
      {
        writable: Globs("Files an arm may change; default everything."),
        protected: Globs("Files an arm must not change; restored before the probe runs."),
      },
      "Rules for changing files.",
    ),
    network: oneOf(["none", "open"], { description: "Network for commands; default none." }),
    required: Type.Array(RequiredFile, { maxItems: 100, description: "Behaviour that is expected of both arms." }),
    severity: optional(
      "SeverityFile",
      {
        protected_path: oneOf(SEVERITIES, { description: "Default disqualify." }),
        denied_command: oneOf(SEVERITIES, { description: "Only `warn`: a refused command never ran." }),
        required: oneOf(SEVERITIES, { description: "Default warn." }),
      },
      "What a violation leads to.",
    ),
  },
  "Rules for both arms; what is missing takes its default.",
);
export type PoliciesFile = Static<typeof PoliciesFile>;
