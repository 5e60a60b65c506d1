import { type Static, Type } from "@sinclair/typebox";
import { oneOf, record } from "../../../domain/schema.ts";
import { ProbeFile } from "./check-file.ts";
import {
  Dir,
  GitPath,
  GitRef,
  Globs,
  InlineFiles,
  MAX_VALUE_BYTES,
  MAX_VARIABLES,
  optional,
  Seconds,
  Text,
} from "./fields.ts";

const FILES = {
  dir: Dir,
  git: GitRef,
  path: GitPath("With `git`: directory; default everything"),
  files: InlineFiles,
};

/** A directory, or a map of where files come from. */
export const FilesFile = Type.Union([
  Dir,
  optional("FilesMap", FILES, "A directory or a commit's files, inline files, or both."),
]);
export type FilesFile = Static<typeof FilesFile>;

const BesideFile = Type.Union(
  [
    Dir,
    record("PrivatePlaceMap", {
      private: Type.Literal(true, { description: "An empty writable directory in memory, new for each command." }),
    }),
  ],
  { description: "A directory beside the scenario file, mounted read-only, or `{private: true}`." },
);

export const FixtureFile = Type.Union(
  [
    Dir,
    optional(
      "FixtureMap",
      {
        ...FILES,
        exclude: Type.Array(Type.String(), {
          maxItems: 100,
          description:
            "Globs, from the top of the workspace: what fits one is left out of `dir` or `git`, with everything below it.",
        }),
        at: Text("Absolute path at which the workspace is mounted, and only there. Default /workspace."),
        also: Type.Record(Type.String(), BesideFile, {
          maxProperties: 20,
          description: "What else commands find, by absolute path.",
        }),
        env: Type.Record(Type.String(), Type.String({ maxLength: MAX_VALUE_BYTES }), {
          maxProperties: MAX_VARIABLES,
          description: "Variables of every command in the workspace: setup, arms, MCP servers, agents and checks.",
        }),
        repository: Type.Boolean({
          description: "The workspace is a git repository with one commit, which holds all of it. Default false.",
        }),
      },
      "A directory or a commit's files, inline files, or both; where they are mounted, and what commands find.",
    ),
  ],
  { description: "What each arm's workspace holds at the start; absent = empty." },
);
export type FixtureFile = Static<typeof FixtureFile>;

const IMAGE = "OCI layout or archive of `docker save`, relative to the scenario file.";

const ImageFile = Type.Union(
  [
    Text(IMAGE),
    record("ImageMap", {
      path: Text(IMAGE),
      digest: Type.Optional(
        Type.String({
          pattern: "^sha256:[0-9a-f]{64}$",
          description:
            "Of its configuration (its id) or its manifest. With it the image may lie in --images-dir instead.",
        }),
      ),
    }),
  ],
  { description: "The root of the sandbox in place of this machine's programs." },
);
export type ImageFile = Static<typeof ImageFile>;

const SetupStepFile = Type.Union(
  [
    Text("Shell command."),
    record("SetupStepMap", {
      run: Text("Shell command, run once a session with the network open."),
      timeout_s: Type.Optional(Seconds("Seconds; default 600.")),
    }),
  ],
  { description: "A command, or a map with `run`." },
);

export const ReferenceFixFile = optional(
  "ReferenceFixFile",
  { patch: Text("File with a unified diff against the fixture."), dir: Dir, files: InlineFiles },
  "A reference fix: either `patch`, or the fixed files whole (`dir`, `files`). Evidence, never a gate.",
);
export type ReferenceFixFile = Static<typeof ReferenceFixFile>;

export const TaskFile = record(
  "TaskFile",
  {
    messages: Type.Optional(
      Type.Array(
        record("MessageMap", {
          role: oneOf(["user", "assistant"], { description: "Who said it." }),
          text: Text("What was said."),
        }),
        {
          minItems: 2,
          maxItems: 200,
          description: "What was said before the prompt: user and assistant in turns, ending with the assistant.",
        },
      ),
    ),
    prompt: Type.Optional(
      Text("The text an arm gets besides its own system prompt. Needed unless each arm has a `prompt` of its own."),
    ),
    question: Type.Optional(
      Text(
        "What is asked of both arms where they have prompts of their own: the judge reads it, with the row's values, and never an arm's prompt.",
      ),
    ),
    follow_ups: Type.Optional(
      Type.Array(Text("What the user says."), {
        minItems: 1,
        maxItems: 50,
        description: "What the user says next, after each final answer, in order.",
      }),
    ),
    fixture: Type.Optional(FixtureFile),
    image: Type.Optional(ImageFile),
    setup: Type.Optional(
      Type.Array(SetupStepFile, { maxItems: 50, description: "Run in order before the arms start." }),
    ),
    probe: Type.Optional(ProbeFile),
    reference_fix: Type.Optional(ReferenceFixFile),
    reference_answer: Type.Optional(
      Type.Union(
        [Text("The text."), record("ReferenceAnswerFile", { file: Text("Text file, relative to the scenario file.") })],
        { description: "A known good answer. Evidence, never a gate." },
      ),
    ),
    deliverable: Type.Optional(
      Type.Union(
        [
          Type.Literal("answer"),
          Globs("Which changes count as the work."),
          record("DeliverableMap", {
            answer: Type.Literal(true, { description: "The final answer counts as the work." }),
            files: Type.Optional(Globs("Changes that count too.")),
          }),
        ],
        {
          description:
            "The work: globs of files, or `answer`. Default: everything, or the answer where no arm can write.",
        },
      ),
    ),
  },
  { description: "What both arms are asked to do." },
);
export type TaskFile = Static<typeof TaskFile>;
