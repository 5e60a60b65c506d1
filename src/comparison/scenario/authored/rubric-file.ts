import { type Static, Type } from "@sinclair/typebox";
import { JUDGE_NAME_CHARS } from "../../../domain/panel.ts";
import { ModelPrice } from "../../../domain/price-list.ts";
import { MEASURES } from "../../../domain/rubric.ts";
import { MODEL_NAME_CHARS, oneOf, record } from "../../../domain/schema.ts";
import { Name, optional, Text, Whole } from "./fields.ts";

const AnchorText = (score: string) => Type.String({ description: `What a score of ${score} means.` });

const AnchorsFile = Type.Partial(
  Type.Object({
    "0": AnchorText("0"),
    "1": AnchorText("1"),
    "2": AnchorText("2"),
    "3": AnchorText("3"),
    "4": AnchorText("4"),
  }),
  {
    $id: "AnchorsFile",
    additionalProperties: false,
    // The YAML language server takes `0:` for a number, which is none of the properties above.
    patternProperties: { "^[0-4]$": Type.String() },
    description: "What the scores mean, by score; only with `question`.",
  },
);

const Weight = (description: string) => Type.Number({ minimum: 0, maximum: 1_000_000, description });

export const CriterionFile = Type.Union(
  [
    Text("A question for the judge."),
    optional(
      "CriterionMap",
      {
        id: Name("Default: made of the question's words, or the measure."),
        question: Text("Judged: scored 0 to 4 by the judge model."),
        measure: oneOf(MEASURES, { description: "Measured: scored by code." }),
        weight: Weight("Default 1."),
        anchors: AnchorsFile,
      },
      "Either `question` or `measure`.",
    ),
  ],
  { description: "A question, or a map with `question` or `measure`." },
);
export type CriterionFile = Static<typeof CriterionFile>;

const JudgeName = (maxLength: number) => Type.String({ pattern: "^[^\\s,]+(, *[^\\s,]+)*$", maxLength });

export const RubricFile = record(
  "RubricFile",
  {
    instructions: Type.Optional(Type.String({ description: "Text for the judge." })),
    tie_margin: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, description: "Score gap up to which the arms are equal; default 0.05." }),
    ),
    criteria: Type.Array(CriterionFile, { minItems: 1, maxItems: 50, description: "What decides." }),
    judge: Type.Optional(
      optional(
        "JudgeFile",
        {
          model: Type.Union(
            [JudgeName(JUDGE_NAME_CHARS), Type.Array(JudgeName(MODEL_NAME_CHARS), { minItems: 1, maxItems: 5 })],
            {
              description: "Judge model; three or five judge as a panel. `builtin/evidence` asks no model.",
            },
          ),
          probe_visibility: oneOf(["shown", "hidden"], {
            description: "Whether the judge sees probe results; default shown.",
          }),
          max_evidence_tokens: Whole(1_000_000, "Evidence shown per arm, estimated tokens; default 12000."),
          price_per_mtok: {
            ...ModelPrice,
            description: "US dollars per million tokens of `model`; absent = unknown; not for a panel.",
          },
        },
        "How it is judged.",
      ),
    ),
  },
  { description: "How the arms are compared." },
);
export type RubricFile = Static<typeof RubricFile>;
