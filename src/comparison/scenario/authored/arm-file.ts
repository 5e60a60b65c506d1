import { type Static, Type } from "@sinclair/typebox";
import { RECIPE_NAMES } from "../../../arms/recipe/recipes.ts";
import { ArmEndpoint, ArmProgram } from "../../../domain/answering.ts";
import { MCP_SERVER_NAME, ModelParams, ScriptTurn, WeightedScript } from "../../../domain/arm.ts";
import { WIRES } from "../../../domain/external-agent.ts";
import { RanUsage } from "../../../domain/ran.ts";
import { GivenModelRef, oneOf, record } from "../../../domain/schema.ts";
import { TOOL_NAMES } from "../../../domain/tool.ts";
import { BUDGET_LIMITS, Dir, GitPath, GitRef, InlineFiles, Name, optional, Seconds, Text } from "./fields.ts";
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

const AgentFile = Type.Union([Text("<recipe>@<install>, as claude-code@claude-2.1.330."), AgentMap, Type.Null()], {
  description: "An external agent in the place of abeval's own loop; null takes away what `extends` gave.",
});

const PriceFile = Type.Partial(
  Type.Object({
    in: Type.Number({ minimum: 0, maximum: 1_000_000, description: "Input." }),
    out: Type.Number({ minimum: 0, maximum: 1_000_000, description: "Output." }),
    cached_in: Type.Number({ minimum: 0, maximum: 1_000_000, description: "Input read from a cache." }),
    cache_write: Type.Number({ minimum: 0, maximum: 1_000_000, description: "Input written to a cache." }),
    cache_write_1h: Type.Number({
      minimum: 0,
      maximum: 1_000_000,
      description: "Input written to a cache for an hour; absent = twice input where `cache_write` is given.",
    }),
  }),
  { $id: "PriceFile", additionalProperties: false, description: "US dollars per million tokens; absent = unknown." },
);

const McpServerFile = record(
  "McpServerFile",
  {
    install: Name("Directory below --agents-dir; its server finds it at /opt/mcp/<name of the server>, read-only."),
    command: Type.Array(Text("Program or argument."), {
      minItems: 1,
      maxItems: 100,
      description: "Starts the server, which speaks MCP over stdin and stdout. No shell reads it.",
    }),
    tools: Type.Optional(
      Type.Array(Text("Name that the server gives it."), {
        minItems: 1,
        maxItems: 128,
        uniqueItems: true,
        description: "The tools that the arm gets; default all.",
      }),
    ),
    timeout_s: Type.Optional(Seconds("Seconds for one call; default 60.")),
  },
  { description: "An MCP server that the arm may call; it runs in the sandbox, over the arm's workspace." },
);
export type McpServerFile = Static<typeof McpServerFile>;

const McpFile = Type.Record(Type.String({ pattern: MCP_SERVER_NAME }), McpServerFile, {
  $id: "McpFile",
  additionalProperties: false,
  minProperties: 1,
  maxProperties: 10,
  description: "MCP servers by name (lower case letters, digits, hyphens). Their tools are called `<name>__<tool>`.",
});

const RanFile = record(
  "RanFile",
  {
    log: Type.Optional(
      Text(
        "What the agent did: a trajectory in ATIF, or the session's JSONL of Claude Code or Codex. It says itself which.",
      ),
    ),
    change: Type.Optional(
      Text(
        "What became of the fixture: a unified diff, or a directory with the files that it changed, as they were then.",
      ),
    ),
    answer: Type.Optional(
      Type.Union(
        [
          Text("File with the final answer; default: the last one of the log."),
          record("RanAnswer", { text: Type.String({ description: "The final answer itself." }) }),
        ],
        {
          description: "The final answer: a file, or its text.",
        },
      ),
    ),
    usage: Type.Optional(RanUsage),
  },
  { description: "A run that was made elsewhere, in the place of a model. Paths are relative to the scenario file." },
);
export type RanFile = Static<typeof RanFile>;
const ArmFilesMap = Type.Object(
  {
    dir: Type.Optional(Dir),
    git: Type.Optional(GitRef),
    path: Type.Optional(
      Text(
        "With `git` a directory or a file, from the top of the repository; alone a file, relative to the scenario file. A file lies at the top, by its own name.",
      ),
    ),
    files: Type.Optional(InlineFiles),
  },
  {
    $id: "ArmFilesMap",
    additionalProperties: Type.String({ description: "Text of the file at this path." }),
    description: "Texts by path, or a directory, or what a commit has, with texts laid over it.",
  },
);
export type ArmFilesMap = Static<typeof ArmFilesMap>;

export const ArmFile = record(
  "ArmFile",
  {
    id: Name("Name of the arm; not `tie` or `none`."),
    extends: Type.Optional(Name("Id of the arm this one starts from; only the differences need writing.")),
    title: Type.Optional(Text("Default: the id.")),
    model: Type.Optional(GivenModelRef),
    prompt: Type.Optional(Text("What this arm is asked, in the place of `task.prompt`; may be a template.")),
    system_prompt: Type.Optional(Type.String({ description: "System prompt; or use system_prompt_file." })),
    system_prompt_file: Type.Optional(
      Type.Union(
        [
          Text("File, relative to the scenario file."),
          record("GitFile", { git: GitRef, path: GitPath("File") }, { description: "A file as a commit has it." }),
        ],
        { description: "File with the system prompt." },
      ),
    ),
    tools: Type.Optional(
      Type.Array(oneOf(TOOL_NAMES), { uniqueItems: true, maxItems: 50, description: "Default: all." }),
    ),
    agent: Type.Optional(AgentFile),
    ran: Type.Optional(RanFile),
    endpoint: Type.Optional(ArmEndpoint),
    program: Type.Optional(ArmProgram),
    files: Type.Optional(
      Type.Union([Dir, ArmFilesMap, Type.Null()], {
        description:
          "Laid over this arm's workspace before it starts, as CLAUDE.md: no part of its work, and hidden from the judge. `agent.files` are laid into the agent's home. Null takes away what `extends` gave.",
      }),
    ),
    mcp: Type.Optional(
      Type.Union([McpFile, Type.Null()], {
        description: "MCP servers whose tools the arm has besides `tools`; null removes those from `extends`.",
      }),
    ),
    params: Type.Optional(
      Type.Object(ModelParams.properties, {
        $id: "ParamsFile",
        additionalProperties: false,
        description: "Sent to the model; what is not given is not sent.",
      }),
    ),
    limits: Type.Optional(optional("LimitsFile", BUDGET_LIMITS, "Tightens policies.budget for this arm.")),
    price_per_mtok: Type.Optional(
      Type.Union([PriceFile, Type.Null()], {
        description: "US dollars per million tokens; null takes away what `extends` gave.",
      }),
    ),
    script: Type.Optional(
      Type.Union([Type.Array(ScriptTurn, { maxItems: 1_000 }), Type.Null()], {
        description: "The turns that a `scripted/...` model replays; null takes away what `extends` gave.",
      }),
    ),
    scripts: Type.Optional(
      Type.Union([Type.Array(WeightedScript, { minItems: 1, maxItems: 20 }), Type.Null()], {
        description:
          "Scripts of which each run replays one, in the place of `script`; null takes away what `extends` gave.",
      }),
    ),
  },
  { description: "One of the two agents that are compared." },
);
export type ArmFile = Static<typeof ArmFile>;
