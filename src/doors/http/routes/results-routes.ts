import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { RESULTS_BODY_BYTES } from "../../../domain/defaults.ts";
import { importResults } from "../../operation/results.ts";
import { about, answer, failures } from "../openapi/describe.ts";
import { EXAMPLES } from "../openapi/examples.ts";
import { type RouteContext, refuseTwice } from "./query.ts";

/** Its body is a table, and no JSON. */
export const RESULTS_PATH = "/api/series/results";

/** A table as the parser of bodies gives it. */
export interface TableBody {
  readonly text: string;
  readonly form: "csv" | "jsonl";
}

/** The types of a table. A page of another site cannot send one without asking the browser first. */
export const TABLE_TYPES: Readonly<Record<string, TableBody["form"]>> = {
  "text/csv": "csv",
  "application/x-ndjson": "jsonl",
  "application/jsonl": "jsonl",
};

const TABLE = "scenario,trial,arm,passed\nsort-dates,1,candidate,true\nsort-dates,1,baseline,false\n";

export const resultsRoutes = ({ services, abandoned }: RouteContext) =>
  new Elysia({ name: "results-routes" }).post(
    RESULTS_PATH,
    // The parser of bodies made it.
    ({ body, query }) => importResults.run(services, { ...query, ...(body as TableBody) }, abandoned),
    {
      transform: [refuseTwice, decimal("tie_margin"), decimal("margin")],
      query: Type.Pick(importResults.input, ["arms", "tie_margin", "margin", "by"]),
      response: importResults.output,
      detail: {
        ...about(
          importResults,
          "extension",
          `The body is the table, of at most ${RESULTS_BODY_BYTES} bytes: \`text/csv\`, or \`application/x-ndjson\` with an object on each line. A larger one is read by \`abeval run --results\`.`,
        ),
        requestBody: {
          required: true,
          content: {
            "text/csv": { schema: { type: "string" }, example: TABLE },
            "application/x-ndjson": {
              schema: { type: "string" },
              example: '{"scenario":"sort-dates","trial":1,"arm":"candidate","score":0.9}\n',
            },
          },
        },
        responses: {
          200: answer("What the table shows.", EXAMPLES.series),
          ...failures("invalid_request", "body_too_large", "unsupported_media_type"),
        },
      },
    },
  );

/** Makes a number of digits with a decimal point. */
const decimal =
  (name: string) =>
  ({ query }: { readonly query: Record<string, unknown> }): void => {
    if (/^\d{0,3}(\.\d{1,12})?$/.test(String(query[name])) && query[name] !== "") query[name] = Number(query[name]);
  };
