import { type Static, Type } from "@sinclair/typebox";
import { oneOf, record } from "../../../domain/schema.ts";
import { Dir, GitPath, GitRef, Globs, InlineFiles, Name, optional, Seconds, Text } from "./fields.ts";

export const FixtureFile = Type.Union(
  [
    Dir,
    optional(
      "FixtureMap",
      { dir: Dir, git: GitRef, path: GitPath("With `git`: directory; default everything"), files: InlineFiles },
      "A directory or a commit's files, inline files, or both.",
    ),
  ],
  { description: "What each arm's workspace holds at the start; absent = empty." },
);
export type FixtureFile = Static<typeof FixtureFile>;

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

export const CheckFile = Type.Union(
  [
    Text("Shell command that must exit with 0."),
    record("CheckMap", {
      id: Type.Optional(Name("Default: check-<position>.")),
      run: Text("Shell command, run in a copy of the final workspace."),
      before: Type.Optional(oneOf(["pass", "fail"], { description: "What the untouched fixture gives." })),
      required: Type.Optional(
        Type.Boolean({ description: "An arm that fails it cannot win against one that passes. Default false." }),
      ),
      weight: Type.Optional(
        Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000, description: "Share of the probe's score. Default 1." }),
      ),
      timeout_s: Type.Optional(Seconds("Seconds; default 60.")),
      expect_exit: Type.Optional(Type.Integer({ minimum: 0, maximum: 255, description: "Exit code; default 0." })),
      output_matches: Type.Optional(
        Text("Literal text, or /regex/ (RE2 syntax), that stdout and stderr together must contain."),
      ),
    }),
  ],
  { description: "A command, or a map with `run`." },
);
export type CheckFile = Static<typeof CheckFile>;

export const ProbeFile = record(
  "ProbeFile",
  {
    dir: Type.Optional(Dir),
    files: Type.Optional(InlineFiles),
    checks: Type.Array(CheckFile, { minItems: 1, maxItems: 200, description: "Commands that say what works." }),
  },
  { description: "Hidden from both arms until they have stopped, then laid over a copy of the final workspace." },
);
export type ProbeFile = Static<typeof ProbeFile>;

export const ReferenceFixFile = optional(
  "ReferenceFixFile",
  { patch: Text("File with a unified diff against the fixture."), dir: Dir, files: InlineFiles },
  "A known fix: either `patch`, or the fixed files whole (`dir`, `files`). Evidence, never a gate.",
);
export type ReferenceFixFile = Static<typeof ReferenceFixFile>;

export const TaskFile = record(
  "TaskFile",
  {
    prompt: Text("The only text an arm gets besides its own system prompt."),
    fixture: Type.Optional(FixtureFile),
    setup: Type.Optional(
      Type.Array(SetupStepFile, { maxItems: 50, description: "Run in order before the arms start." }),
    ),
    probe: Type.Optional(ProbeFile),
    reference_fix: Type.Optional(ReferenceFixFile),
    deliverable: Type.Optional(Globs("Which changes count as the answer. Default everything.")),
  },
  { description: "What both arms are asked to do." },
);
export type TaskFile = Static<typeof TaskFile>;
