import type { TSchema } from "@sinclair/typebox";
import * as arm from "../../../domain/arm.ts";
import * as decision from "../../../domain/decision.ts";
import * as event from "../../../domain/event.ts";
import * as evidence from "../../../domain/evidence.ts";
import * as external_agent from "../../../domain/external-agent.ts";
import * as health from "../../../domain/health.ts";
import * as judge_profile from "../../../domain/judge-profile.ts";
import * as policies from "../../../domain/policies.ts";
import * as price_list from "../../../domain/price-list.ts";
import * as provider from "../../../domain/provider.ts";
import * as request from "../../../domain/request.ts";
import * as rubric from "../../../domain/rubric.ts";
import * as scenario from "../../../domain/scenario.ts";
import * as listing from "../../../domain/scenario-listing.ts";
import * as self_test from "../../../domain/self-test.ts";
import * as series from "../../../domain/series.ts";
import * as series_record from "../../../domain/series-record.ts";
import * as series_request from "../../../domain/series-request.ts";
import * as series_summary from "../../../domain/series-summary.ts";
import * as session from "../../../domain/session.ts";
import * as session_list from "../../../domain/session-list.ts";
import * as task from "../../../domain/task.ts";
import * as verdict from "../../../domain/verdict.ts";

const MODULES: readonly Readonly<Record<string, unknown>>[] = [
  arm,
  decision,
  event,
  evidence,
  external_agent,
  health,
  judge_profile,
  listing,
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

/** Fields of a query are parameters instead; a record of a series stays in the store, a list of prices with its reader. */
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
