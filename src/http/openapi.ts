import type { TObject, TSchema } from "@sinclair/typebox";
import type { FailureCode } from "../domain/failure.ts";
import { ErrorBody } from "../domain/health.ts";
import { Components, type SchemaObject } from "./components.ts";
import { type Endpoint, type Success, TAGS } from "./endpoint.ts";
import { ERRORS, UNREADABLE } from "./error.ts";
import { VOCABULARY } from "./vocabulary.ts";

/** What any request may get, wherever it goes. */
const COMMON_ERRORS: readonly FailureCode[] = ["forbidden_host", "internal"];

/** The OpenAPI 3.1 document of the endpoints: every route, every named type as a component (spec part 4). */
export function openApi(endpoints: readonly Endpoint[], version: string): SchemaObject {
  const components = new Components();
  const paths: Record<string, Record<string, SchemaObject>> = {};
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operationOf(endpoint, components) };
  }
  for (const schema of VOCABULARY) components.refer(schema);
  return {
    openapi: "3.1.1",
    info: {
      title: "abeval",
      version,
      summary: "A/B evaluation of AI agents.",
      description: DESCRIPTION,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "Where this document came from." }],
    security: [],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: { schemas: components.schemas },
  };
}

const DESCRIPTION = [
  "Runs two agent arms on one scenario, has a judge compare them, and keeps the outcome.",
  "Fields are snake_case; times are ISO-8601 UTC with milliseconds; `null` means unknown.",
  "Every error has the shape of `Error`, on every path. There is no authentication; `Access-Control-Allow-Origin` is `*`.",
  "A request that is no HTTP at all, or whose head is too large (431), is refused below this API and has no body.",
].join("\n\n");

function operationOf(endpoint: Endpoint, components: Components): SchemaObject {
  const { id, tag, title, summary, body, success } = endpoint;
  const parameters = parametersOf(endpoint, components);
  return {
    operationId: id,
    tags: [tag],
    summary: title,
    description: summary,
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: true,
        content: {
          "application/json": { schema: components.refer(body.schema), examples: namedExamples(body.examples) },
        },
      },
    }),
    responses: { [success.status]: successOf(success, components), ...errorsOf(endpoint, components) },
  };
}

function parametersOf({ parameter, query }: Endpoint, components: Components): SchemaObject[] {
  const inPath = parameter && {
    name: parameter.name,
    in: "path",
    required: true,
    description: parameter.description,
    schema: { type: "string" },
    example: parameter.example,
  };
  return [...(inPath ? [inPath] : []), ...(query ? queryParameters(query, components) : [])];
}

const queryParameters = ({ properties, required = [] }: TObject, components: Components): SchemaObject[] =>
  Object.entries<TSchema>(properties).map(([name, schema]) => {
    const { description, ...rendered } = components.refer(schema);
    return { name, in: "query", required: required.includes(name), description, schema: rendered };
  });

const namedExamples = (examples: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]));

function successOf(success: Success, components: Components): SchemaObject {
  const { description, schema, media_type = "application/json", example, headers } = success;
  const isText = media_type !== "application/json";
  // A stream's text is described by the type of what its lines hold.
  const content = { schema: schema && !isText ? components.refer(schema) : textOf(schema, components), example };
  return {
    description,
    ...(headers && {
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, text]) => [name, { description: text, schema: { type: "string" } }]),
      ),
    }),
    content: { [media_type]: content },
  };
}

const textOf = (schema: TSchema | undefined, components: Components): SchemaObject =>
  schema
    ? { type: "string", contentMediaType: "application/json", contentSchema: components.refer(schema) }
    : { type: "string" };

/** One response for each status; its description and examples name the codes. */
function errorsOf({ body, query, errors }: Endpoint, components: Components): Record<number, SchemaObject> {
  const byStatus = new Map<number, FailureCode[]>();
  for (const code of [...errors, ...COMMON_ERRORS])
    byStatus.set(ERRORS[code].status, [...(byStatus.get(ERRORS[code].status) ?? []), code]);
  const described = [...byStatus].map(([status, codes]) => [status, errorOf(codes, components)]);
  if (body || query) described.push([UNREADABLE.status, unreadable(components)]);
  return Object.fromEntries(described);
}

const errorOf = (codes: readonly FailureCode[], components: Components): SchemaObject => ({
  description: codes.map((code) => `\`${code}\`: ${ERRORS[code].meaning}`).join("\n\n"),
  content: {
    "application/json": {
      schema: components.refer(ErrorBody),
      examples: namedExamples(
        Object.fromEntries(codes.map((code) => [code, { error: { code, message: ERRORS[code].meaning } }])),
      ),
    },
  },
});

const unreadable = (components: Components): SchemaObject => ({
  description: `\`invalid_request\`: ${UNREADABLE.meaning}`,
  content: {
    "application/json": {
      schema: components.refer(ErrorBody),
      example: { error: { code: "invalid_request", message: UNREADABLE.meaning } },
    },
  },
});
