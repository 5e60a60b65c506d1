import { type Static, Type } from "@sinclair/typebox";
import { PostedCheck } from "../../../domain/answering.ts";
import { oneOf, record, Share } from "../../../domain/schema.ts";
import { Dir, InlineFiles, Name, Seconds, Text } from "./fields.ts";

const OneOrMore = (description: string) =>
  Type.Union(
    [Type.String({ minLength: 1 }), Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: 100 })],
    {
      description,
    },
  );
const Least = (what: string) =>
  Type.Optional(Type.Integer({ minimum: 0, description: `Fewest ${what}; default 1, with \`max: 0\` 0.` }));
const Most = (what: string) => Type.Optional(Type.Integer({ minimum: 0, description: `Most ${what}.` }));

export const CheckFile = Type.Union(
  [
    Text("Shell command that must exit with 0."),
    record("CheckMap", {
      id: Type.Optional(Name("Default: check-<position>.")),
      run: Type.Optional(
        Text("Shell command, run in a copy of the final workspace. $ABEVAL_EVIDENCE holds the answer."),
      ),
      answer_contains: Type.Optional(OneOrMore("Text, or texts, that the answer must all contain.")),
      answer_lacks: Type.Optional(OneOrMore("Text, or texts, none of which the answer may contain.")),
      ignore_case: Type.Optional(
        Type.Boolean({ description: "For `answer_contains` and `answer_lacks`. Default false." }),
      ),
      answer_matches: Type.Optional(Text("Literal text, or /regex/ (RE2 syntax), that the answer must contain.")),
      answer_json: Type.Optional(
        Type.Union([Type.Literal(true), Type.Record(Type.String(), Type.Unknown())], {
          description: "`true`, or a JSON Schema: the answer, or its one fenced block, must be JSON that fits it.",
        }),
      ),
      called: Type.Optional(
        record("CalledMap", {
          tool: Text("Name of a tool, `<server>__<tool>`, or what an external agent calls it."),
          match: Type.Optional(Text("Glob on the command or path of the call. Default any call.")),
          min: Least("calls that ran"),
          max: Most("calls that ran"),
        }),
      ),
      changed: Type.Optional(
        record("ChangedMap", {
          paths: Type.Array(Type.String(), { minItems: 1, maxItems: 500, description: "Globs." }),
          min: Least("changed files that fit"),
          max: Most("changed files that fit"),
        }),
      ),
      posted: Type.Optional(PostedCheck),
      before: Type.Optional(
        oneOf(["pass", "fail"], {
          description: "What it gives before an arm has worked; computed for what is not `run`.",
        }),
      ),
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
      score: Type.Optional(
        Type.Boolean({
          description:
            "It gives a number from 0 to 1: the last line of its stdout, or `score` of the reply. Default false.",
        }),
      ),
      min_score: Type.Optional(
        Share("A number from here on is a pass. Without it a number is neither pass nor failure."),
      ),
    }),
  ],
  { description: "A command, or a map with exactly one of `run`, `answer_...`, `called`, `changed`, `posted`." },
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
