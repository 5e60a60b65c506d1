import { type Static, Type } from "@sinclair/typebox";
import { Digest, nullable, oneOf, record, Slug } from "./schema.ts";
import { FileSet } from "./task.ts";
import { TOOL_NAMES } from "./tool.ts";

/** The formats in which agents talk to providers: Anthropic's messages, OpenAI's two, and Gemini's. */
export const WIRES = ["anthropic", "chat", "responses", "gemini"] as const;
export type WireName = (typeof WIRES)[number];

export const ExternalAgent = record("ExternalAgent", {
  use: nullable(Type.String(), { description: "Name of a recipe; null: `command` says how it is started." }),
  command: nullable(Type.Array(Type.String(), { minItems: 1 }), {
    description: "Program and arguments, with {prompt} and the like; null: the recipe knows.",
  }),
  install: nullable(Slug(), { description: "Directory below --agents-dir; shown read-only at /opt/agent." }),
  args: Type.Array(Type.String(), { description: "Added to the recipe's command." }),
  files: nullable(FileSet, { description: "Laid into its home directory." }),
  env: Type.Record(Type.String(), Type.String()),
  wires: Type.Array(oneOf(WIRES), {
    description: "It speaks these; the first that the model's provider speaks is used.",
  }),
  tools: Type.Record(Type.String(), oneOf(TOOL_NAMES), { description: "What its own tools are, by their names." }),
  ok_exit: Type.Optional(
    Type.Array(Type.Integer({ minimum: 0, maximum: 255 }), {
      description: "Exit codes that are no crash, besides 0 and those of the recipe.",
    }),
  ),
  side_model: oneOf(["keep", "same"], {
    description: "Model of its side calls: the one it requests, or the arm's.",
  }),
});
export type ExternalAgent = Static<typeof ExternalAgent>;

export const AgentRun = record("AgentRun", {
  recipe: nullable(Type.String(), { description: "Null when the scenario gives its own command." }),
  install: nullable(Slug()),
  version: nullable(Type.String(), { description: "Of its package; null when it has none." }),
  digest: nullable(Digest("SHA-256 over the install's packages, their versions and the bytes of its entry.")),
  exit_code: nullable(Type.Integer(), {
    description: "Null unless it ended by itself; 128 + n after signal n. It does not decide how the arm ended.",
  }),
  ok_exit: Type.Optional(
    Type.Array(Type.Integer(), { description: "Exit codes besides 0 that are normal; absent when there are none." }),
  ),
  skills: Type.Optional(Type.Array(Type.String(), { description: "Names of those in its home. Absent: none." })),
  stdout: Type.String({ description: "What it printed: the first and the last 16 kB, without keys." }),
  stderr: Type.String({ description: "As stdout." }),
});
export type AgentRun = Static<typeof AgentRun>;
