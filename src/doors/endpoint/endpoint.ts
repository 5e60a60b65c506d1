import { type Static, type TObject, type TSchema, Type } from "@sinclair/typebox";
import type { FailureCode } from "../../domain/failure.ts";
import { EXAMPLES } from "./examples.ts";

/** Method and path; `:id` in it is a field. */
type Route = `${"GET" | "POST" | "DELETE"} /api/${string}`;

/** Groups of the API's document. */
export const TAGS = {
  environment: "Is the service alive, and can runs work here.",
  scenarios: "What can be run.",
  sessions: "What has run, or is running.",
  runs: "Run a scenario and watch it.",
  verdicts: "Judge stored arms again.",
  schema: "This document.",
  extension: "Additions to the eleven endpoints.",
};

/** A content other than JSON. */
interface Media {
  readonly schema?: { readonly type: "string"; readonly description?: string };
  readonly example: string;
}

/** The field of a row by which a list goes on in pages, and rows of a page that is not asked for. */
interface Pages {
  readonly by: string;
  readonly limit?: number;
}

interface Facts<Fields extends TObject, Body extends TSchema, Output extends TSchema> {
  readonly tag: keyof typeof TAGS;
  readonly title: string;
  /** Tells the reader of the API what it does, what it costs, and what comes next. */
  readonly description: string;
  /** Those that the route names stand in the path, the others in the query. */
  readonly fields?: Fields;
  readonly body?: Body;
  /** Bodies by the name of the example. */
  readonly requests?: Readonly<Record<string, unknown>>;
  /** A table is sent, and `body` is what its parser makes of it. */
  readonly table?: Readonly<Record<string, Media>>;
  /** The request may have a key under which it is done once. */
  readonly keyed?: true;
  /** The request says what it changes: nothing yet (`If-None-Match: *`), or what an ETag names (`If-Match`). */
  readonly conditional?: true;
  /** It takes as long as models or commands take. */
  readonly slow?: true;
  /** It needs no database. */
  readonly storeless?: true;
  /** Of a success; 200 unless it is said. */
  readonly status?: 202;
  /** What the answer is. */
  readonly answer: string;
  /** An answer; the version of this program may stand in it. */
  readonly example?: unknown;
  readonly exampleOf?: (version: string) => unknown;
  /** Answers are held to it before they are sent, unless they were checked when they were made. */
  readonly output?: Output;
  readonly checked?: true;
  /** The answer is no JSON. An output is then what its lines hold. */
  readonly media?: Readonly<Record<string, Media>>;
  readonly pages?: Pages;
  /** Headers of the answer. */
  readonly headers?: Readonly<
    Record<string, { readonly description: string; readonly schema: { readonly type: string } }>
  >;
  /** What it means that the answer's `ETag` still holds. */
  readonly unchanged?: string;
  /** What it may be refused with, beside what any request may. */
  readonly failures: readonly FailureCode[];
}

/** Something that can be asked, once for all doors. */
export interface ApiEndpoint<
  Path extends string = Route,
  Fields extends TObject = TObject,
  Body extends TSchema = TSchema,
  Output extends TSchema = TSchema,
> extends Facts<Fields, Body, Output> {
  readonly route: Path;
  readonly fields: Fields;
}

const NOTHING = Type.Object({});
type Nothing = typeof NOTHING;

/** Ties the types of fields, body and answer to the schemas. */
export const endpoint = <
  const Path extends Route,
  Fields extends TObject = Nothing,
  Body extends TSchema = Nothing,
  Output extends TSchema = TSchema,
>(
  route: Path,
  facts: Facts<Fields, Body, Output>,
): ApiEndpoint<Path, Fields, Body, Output> => ({ fields: NOTHING as Fields, route, ...facts }); // only without fields of its own

/** The fields that the route names, and the others. Undefined: there are none. */
export function fieldPlaces({ route, fields }: ApiEndpoint): { readonly path?: TObject; readonly query?: TObject } {
  const all = Object.entries(fields.properties);
  const { path, query } = Object.groupBy(all, ([name]) =>
    route.split(/[ /.]/).includes(`:${name}`) ? "path" : "query",
  );
  const { additionalProperties = false } = fields;
  return {
    ...(path && { path: Type.Object(Object.fromEntries(path)) }),
    // A misspelt field is refused.
    ...(query && { query: Type.Object(Object.fromEntries(query), { additionalProperties }) }),
  };
}

export const SessionInPath = {
  id: Type.String({ description: "Session id.", examples: [EXAMPLES.session.session_id] }),
};

export const SeriesInPath = {
  id: Type.String({ description: "Series id.", examples: [EXAMPLES.series.series_id] }),
};

/** A list that comes in pages: its rows, and how it goes on after the row with which a page ends. */
export const newestFirst = <Row extends TSchema>(row: Row, example: Static<Row>, pages: Pages) => ({
  answer: "Newest first.",
  pages,
  example: [example],
  headers: {
    Link: { description: '`<address>; rel="next"` when the page is not the last.', schema: { type: "string" } },
  },
  output: Type.Array(row),
});

/** A stream of events. */
export const FRAMES = {
  answer: "Frames of one line `data: <json>` and an empty line; the JSON is a RunEvent.",
  media: {
    "text/event-stream": { example: EXAMPLES.events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("") },
  },
};

/** What refuses a run before anything is spent. */
export const BEFORE_A_RUN: readonly FailureCode[] = [
  "unknown_scenario",
  "invalid_scenario",
  "credentials_missing",
  "overloaded",
  "interrupted",
  "sandbox_unavailable",
  "storage_full",
  "storage_failed",
];

/** Rows of one answer of a series, and of one page. */
export const LISTED = 500;
