import { type Static, Type } from "@sinclair/typebox";
import { RECIPE_NAMES } from "../../../arms/recipe/recipes.ts";
import { WIRES } from "../../../domain/external-agent.ts";
import { oneOf, record } from "../../../domain/schema.ts";
import { TOOL_NAMES } from "../../../domain/tool.ts";
import { Text } from "./fields.ts";
import { FilesFile } from "./task-file.ts";

/** Characters of a variable's value. */
const VALUE_CHARS = 8_192;

const AgentMap = record(
  "AgentFile",
  {
    use: Type.Optional(oneOf(RECIPE_NAMES, { description: "An agent that abeval knows how to start; or `command`." })),
    command: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        maxItems: 100,
        description:
          "Program and arguments of any other agent. No shell reads them. {prompt} or {prompt_file} gives it the task; " +
          "there are {model}, {key}, {base:anthropic}, {base:openai} and {base:google}, too.",
      }),
    ),
    install: Type.Optional(
      Text("Directory below --agents-dir, which the agent finds at /opt/agent, read-only. Never a path."),
    ),
    args: Type.Optional(
      Type.Array(Type.String(), { maxItems: 100, description: "Arguments for the agent; `~/` is its home directory." }),
    ),
    files: Type.Optional(
      Type.Union(FilesFile.anyOf, {
        description: "What its home directory holds: settings, skills, MCP configuration.",
      }),
    ),
    env: Type.Optional(
      Type.Record(Type.String(), Type.String({ maxLength: VALUE_CHARS }), {
        maxProperties: 50,
        description: "Variables for the agent. No keys: it gets none, and needs none.",
      }),
    ),
    wires: Type.Optional(
      Type.Array(oneOf(WIRES), {
        minItems: 1,
        uniqueItems: true,
        description: "The formats in which it asks models, the preferred one first; default: all that it has.",
      }),
    ),
    tools: Type.Optional(
      Type.Record(Type.String(), oneOf(TOOL_NAMES), {
        maxProperties: 100,
        description:
          "Which of the six tools each tool of its own is, for rules and the judge; default by name and input.",
      }),
    ),
    ok_exit: Type.Optional(
      Type.Array(Type.Integer({ minimum: 0, maximum: 255 }), {
        minItems: 1,
        uniqueItems: true,
        description: "Normal exit codes besides 0. Any other code is reported as a crash.",
      }),
    ),
    side_model: Type.Optional(
      oneOf(["keep", "same"], {
        description:
          "Model of its side calls, for example for a title: the one it requests, or the arm's. " +
          "Default: keep for `use`, same for `command`.",
      }),
    ),
  },
  { description: "A coding agent of its own, with its own tools and prompts." },
);
export type AgentMap = Static<typeof AgentMap>;

export const AgentFile = Type.Union(
  [Text("<recipe>@<install>, as claude-code@claude-2.1.330."), AgentMap, Type.Null()],
  {
    description: "An external agent in the place of abeval's own loop; null takes away what `extends` gave.",
  },
);
