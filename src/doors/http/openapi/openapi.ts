import type { TObject, TSchema } from "@sinclair/typebox";
import type { DocumentDecoration } from "elysia";
import * as arm from "../../../domain/arm.ts";
import * as decision from "../../../domain/decision.ts";
import * as doctor_report from "../../../domain/doctor-report.ts";
import * as error_body from "../../../domain/error-body.ts";
import * as event from "../../../domain/event.ts";
import * as evidence from "../../../domain/evidence.ts";
import * as external_agent from "../../../domain/external-agent.ts";
import * as health from "../../../domain/health.ts";
import * as judge_profile from "../../../domain/judge-profile.ts";
import * as policies from "../../../domain/policies.ts";
import * as price_list from "../../../domain/price-list.ts";
import * as provider from "../../../domain/provider.ts";
import { publish, type SchemaObject, withoutPatterns } from "../../../domain/published-schema.ts";
import * as request from "../../../domain/request.ts";
import * as rubric from "../../../domain/rubric.ts";
import * as scenario from "../../../domain/scenario.ts";
import { bare } from "../../../domain/schema.ts";
import * as self_test from "../../../domain/self-test.ts";
import * as series from "../../../domain/series.ts";
import * as series_record from "../../../domain/series-record.ts";
import * as series_request from "../../../domain/series-request.ts";
import * as series_summary from "../../../domain/series-summary.ts";
import * as session from "../../../domain/session.ts";
import * as session_list from "../../../domain/session-list.ts";
import * as task from "../../../domain/task.ts";
import * as verdict from "../../../domain/verdict.ts";
import { UnreadableRequest } from "../error.ts";

/** What the router knows of a route. */
export interface ApiRoute {
  readonly method: string;
  readonly path: string;
  readonly hooks: {
    readonly params?: TObject;
    readonly query?: TObject;
    readonly body?: TObject;
    readonly response?: TSchema | Readonly<Record<number, TSchema>>;
    readonly detail?: DocumentDecoration;
  };
}

const TAGS = {
  environment: "Is the service alive, and can runs work here.",
  scenarios: "What can be run.",
  sessions: "What has run, or is running.",
  runs: "Run a scenario and watch it.",
  verdicts: "Judge stored arms again.",
  schema: "This document.",
  extension: "Additions to the eleven endpoints.",
};

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

/**
 * The OpenAPI 3.1 document of the router's own table: every route under /api, every named type as a component. Written here
 * because the plugin's document has no components and does not validate.
 * @throws Error for a route that says neither what it is nor that it is hidden
 */
export function openApi(routes: readonly ApiRoute[], version: string): SchemaObject {
  const components = new Components();
  const paths: Record<string, Record<string, SchemaObject>> = {};
  for (const route of routes.filter(isDocumented)) {
    const path = route.path.replace(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, components) };
  }
  for (const schema of VOCABULARY) components.refer(schema);
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

function isDocumented({ method, path, hooks: { detail } }: ApiRoute): boolean {
  if (!path.startsWith("/api/")) return false;
  if (detail?.operationId) return true;
  if (detail?.hide) return false;
  throw new Error(`${method} ${path} has no description`);
}

function operationOf({ hooks }: ApiRoute, components: Components): SchemaObject {
  const { hide: _, requestBody, responses, parameters: headers = [], ...described } = hooks.detail as Described;
  const parameters = [
    ...parametersOf("path", hooks.params, components),
    ...parametersOf("query", hooks.query, components),
    ...headers,
  ];
  const answers = hooks.body || hooks.query ? { ...responses, ...UNREADABLE } : responses;
  return {
    ...described,
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody: withSchema(requestBody, hooks.body, components) }),
    responses: Object.fromEntries(
      Object.entries(answers).map(([status, response]) => [
        status,
        withSchema(response, schemaOf(hooks.response, Number(status)), components),
      ]),
    ),
  };
}

/** What `describe.ts` makes of a route's `detail`. */
type Described = DocumentDecoration & { readonly requestBody?: Content; readonly responses: Record<string, Content> };
interface Content {
  readonly content: Readonly<Record<string, { readonly of?: TSchema }>>;
}

const UNREADABLE = {
  [UnreadableRequest.status]: {
    description: `\`invalid_request\`: ${UnreadableRequest.meaning}`,
    content: {
      "application/json": { example: { error: { code: "invalid_request", message: UnreadableRequest.meaning } } },
    },
  },
};

function schemaOf(response: ApiRoute["hooks"]["response"], status: number): TSchema | undefined {
  if (status >= 400) return error_body.ErrorBody;
  return response && status in response ? (response as Record<number, TSchema>)[status] : (response as TSchema);
}

/** JSON is described by the route's schema, a stream's text by the type of what its lines hold. */
function withSchema(described: Content, checked: TSchema | undefined, components: Components): SchemaObject {
  const content = Object.entries(described.content).map(([type, { of = checked, ...media }]) => {
    const isJson = type === "application/json" && of !== undefined;
    return [type, { schema: isJson ? components.refer(of) : textOf(of, components), ...media }];
  });
  return { ...described, content: Object.fromEntries(content) };
}

const textOf = (schema: TSchema | undefined, components: Components): SchemaObject =>
  schema
    ? { type: "string", contentMediaType: "application/json", contentSchema: components.refer(schema) }
    : { type: "string" };

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

const MODULES: readonly Readonly<Record<string, unknown>>[] = [
  arm,
  decision,
  event,
  evidence,
  external_agent,
  health,
  doctor_report,
  error_body,
  judge_profile,
  policies,
  price_list,
  provider,
  request,
  rubric,
  scenario,
  series,
  series_record,
  series_request,
  series_summary,
  self_test,
  session,
  session_list,
  task,
  verdict,
];

/** These are no components: query fields are parameters, series records stay in the store, price lists with their reader. */
const OWN: ReadonlySet<unknown> = new Set([
  session_list.SessionListRequest,
  session_list.SessionSummaryRequest,
  series_request.SeriesListRequest,
  series_record.SeriesRecord,
  judge_profile.JudgesRequest,
  price_list.ModelPrice,
  price_list.PriceListFile,
  self_test.SelfTestListRequest,
]);

/** Every named schema of the domain, even one that no route mentions. */
export const VOCABULARY: readonly TSchema[] = MODULES.flatMap((module) => Object.values(module))
  .filter(isNamedSchema)
  .filter((schema) => !OWN.has(schema));

function isNamedSchema(value: unknown): value is TSchema {
  return typeof value === "object" && value !== null && "$id" in value && typeof value.$id === "string";
}
