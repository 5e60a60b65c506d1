import type { Static } from "@sinclair/typebox";
import type { ApiEndpoint } from "./endpoint.ts";
import { FILE_ENDPOINTS } from "./file-endpoints.ts";
import { READ_ENDPOINTS } from "./read-endpoints.ts";
import { JUDGE_ENDPOINTS, RUN_ENDPOINTS } from "./run-endpoints.ts";
import { SCENARIO_ENDPOINTS } from "./scenario-endpoints.ts";
import { SERIES_ENDPOINTS } from "./series-endpoints.ts";

/** Everything that can be asked, by its name, in the order of the API's document. */
export const ENDPOINTS = {
  ...READ_ENDPOINTS,
  ...RUN_ENDPOINTS,
  ...SERIES_ENDPOINTS,
  ...JUDGE_ENDPOINTS,
  ...SCENARIO_ENDPOINTS,
  ...FILE_ENDPOINTS,
};

type Endpoints = typeof ENDPOINTS;
export type EndpointName = keyof Endpoints;

/** What a request gives: its fields and what is in its body. */
export type RequestOf<Name extends EndpointName> =
  Endpoints[Name] extends ApiEndpoint<string, infer Fields, infer Body> ? Static<Fields> & Static<Body> : never;

export type AnswerOf<Name extends EndpointName> =
  Endpoints[Name] extends ApiEndpoint<string, infer _Fields, infer _Body, infer Output> ? Static<Output> : never;

export type EndpointRoute = Endpoints[EndpointName]["route"];

/** The name of the endpoint at a route. */
export type EndpointAt<Route extends EndpointRoute> = {
  [Name in EndpointName]: Endpoints[Name]["route"] extends Route ? Name : never;
}[EndpointName];
