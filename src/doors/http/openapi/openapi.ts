import type { TObject, TSchema } from "@sinclair/typebox";
import { ErrorBody } from "../../../domain/error-body.ts";
import type { FailureCode } from "../../../domain/failure.ts";
import { publish, type SchemaObject, withoutPatterns } from "../../../domain/published-schema.ts";
import { bare } from "../../../domain/schema.ts";
import { type ApiEndpoint, fieldPlaces, TAGS } from "../../endpoint/endpoint.ts";
import { ENDPOINTS } from "../../endpoint/endpoints.ts";
import { ERRORS, UnreadableRequest } from "../error.ts";
import { KEY_PARAMETER } from "../requester.ts";

export const INFO = {
  title: "abeval",
  summary: "A/B evaluation of AI agents.",
  description: [
    "Runs two agent arms on one scenario, has a judge compare them, and keeps the outcome.",
    "Fields are snake_case; times are ISO-8601 UTC with milliseconds; `null` means unknown.",
    "Every error has the shape of `Error`, on every path. There is no authentication; `Access-Control-Allow-Origin` is `*`.",
    "A request that is no HTTP at all, or whose head is too large (431), is refused below this API and has no body.",
  ].join("\n\n"),
  license: { name: "MIT", identifier: "MIT" },
};

const documents = new Map<string, SchemaObject>();

/** The document of this version, which is made at the first request. */
export function documentOf(version: string): SchemaObject {
  const document = documents.get(version) ?? openApi(version);
  documents.set(version, document);
  return document;
}

/**
 * The OpenAPI 3.1 document of all endpoints, every named type as a component. Written here because the plugin's document has no
 * components and does not validate.
 */
function openApi(version: string): SchemaObject {
  const components = new Components();
  const paths: Record<string, Record<string, SchemaObject>> = {};
  for (const [name, endpoint] of Object.entries<ApiEndpoint>(ENDPOINTS)) {
    const [method = "", route = ""] = endpoint.route.split(" ");
    const path = route.replace(/:(\w+)/g, "{$1}");
    const operation = { operationId: name, ...operationOf(endpoint, version, components) };
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
  }
  return {
    openapi: "3.1.1",
    info: { ...INFO, version },
    servers: [{ url: "/", description: "Where this document came from." }],
    security: [],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: { schemas: components.schemas },
  };
}

function operationOf(endpoint: ApiEndpoint, version: string, components: Components): SchemaObject {
  const { tag, title, description, keyed, conditional, body } = endpoint;
  const { path, query } = fieldPlaces(endpoint);
  const parameters = [
    ...parametersOf("path", path, components),
    ...parametersOf("query", query, components),
    ...(keyed ? [KEY_PARAMETER] : []),
    ...(conditional ? CONDITIONS : []),
  ];
  return {
    ...{ tags: [tag], summary: title, description },
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: bodyOf(endpoint, components) } }),
    responses: {
      ...successOf(endpoint, version, components),
      ...failuresOf(endpoint, query, components),
      ...((body || query) && { [UnreadableRequest.status]: unreadable(components) }),
    },
  };
}

const CONDITIONS = [
  { name: "If-None-Match", description: "`*`: there must be none yet." },
  { name: "If-Match", description: "The `ETag` of what is replaced." },
].map((header) => ({ ...header, in: "header", required: false, schema: { type: "string" } }));

const json = (content: object) => ({ "application/json": content });

const named = (examples: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]));

const bodyOf = ({ body, table, requests = {} }: ApiEndpoint, components: Components) =>
  table ?? json({ schema: body && components.refer(body), examples: named(requests) });

function successOf(endpoint: ApiEndpoint, version: string, components: Components) {
  const { status = 200, answer, output, media, headers, unchanged, exampleOf } = endpoint;
  const example = exampleOf?.(version) ?? endpoint.example;
  const content = media
    ? mediaOf(media, output, components)
    : json({ schema: output && components.refer(output), example });
  return {
    [status]: { description: answer, content, ...(headers && { headers }) },
    ...(unchanged && { 304: { description: unchanged, content: {} } }),
  };
}

/** Contents that are no JSON; lines of them may hold some. */
function mediaOf(media: NonNullable<ApiEndpoint["media"]>, line: TSchema | undefined, components: Components) {
  const held = line && { contentMediaType: "application/json", contentSchema: components.refer(line) };
  const schema = { type: "string", ...held };
  return Object.fromEntries(Object.entries(media).map(([type, one]) => [type, { schema, ...one }]));
}

/** One response for each status that the failures have. */
function failuresOf({ body, failures }: ApiEndpoint, query: TObject | undefined, components: Components) {
  const codes: readonly FailureCode[] = [
    ...(body || query?.additionalProperties === false ? (["invalid_request"] as const) : []),
    ...(body ? (["body_too_large", "unsupported_media_type"] as const) : []),
    ...failures,
    ...(failures.includes("storage_failed") ? (["not_ready", "newer_version"] as const) : []),
    ...(["forbidden_host", "internal"] as const),
  ];
  const schema = components.refer(ErrorBody);
  const byStatus = Map.groupBy(codes, (code) => ERRORS[code].status);
  return Object.fromEntries([...byStatus].map(([status, own]) => [status, failure(own, schema)]));
}

const failure = (codes: readonly FailureCode[], schema: SchemaObject) => ({
  description: codes.map((code) => `\`${code}\`: ${ERRORS[code].meaning}`).join("\n\n"),
  content: json({
    schema,
    examples: named(Object.fromEntries(codes.map((code) => [code, errorOf(code, ERRORS[code].meaning)]))),
  }),
});

const unreadable = (components: Components) => ({
  description: `\`invalid_request\`: ${UnreadableRequest.meaning}`,
  content: json({
    schema: components.refer(ErrorBody),
    example: errorOf("invalid_request", UnreadableRequest.meaning),
  }),
});

const errorOf = (code: FailureCode, message: string) => ({ error: { code, message } });

function parametersOf(place: "path" | "query", schema: TObject | undefined, components: Components): SchemaObject[] {
  const { properties = {}, required = [] } = schema ?? {};
  return Object.entries<TSchema>(properties).map(([name, property]) => {
    const { description, examples, ...rendered } = components.refer(property);
    const example = Array.isArray(examples) ? { example: examples[0] } : {};
    return { name, in: place, required: required.includes(name), description, schema: rendered, ...example };
  });
}

/** Named schemas, each kept once. Where one contains another, a `$ref` stands. */
class Components {
  readonly #schemas = new Map<string, SchemaObject>();
  readonly #sources = new Map<string, string>();

  /** Sorted by name. */
  get schemas(): Readonly<Record<string, SchemaObject>> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** The schema, or a reference to it when it has a name. @throws Error when one name stands for two schemas. */
  refer(schema: TSchema): SchemaObject {
    const name = schema.$id;
    if (name === undefined) return this.#render(schema);
    const named = bare(schema);
    if (named !== schema) return { ...this.refer(named), description: schema.description };
    const source = JSON.stringify(schema);
    const filed = this.#sources.get(name);
    if (filed === undefined) {
      this.#sources.set(name, source);
      this.#schemas.set(name, this.#render(schema));
    } else if (filed !== source) throw new Error(`two schemas are named ${name}`);
    return { $ref: `#/components/schemas/${name}` };
  }

  #render(schema: TSchema): SchemaObject {
    return withoutPatterns(publish(schema, (part) => this.refer(part)));
  }
}
