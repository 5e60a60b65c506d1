import type { TSchema } from "@sinclair/typebox";
import * as decision from "../domain/decision.ts";
import * as event from "../domain/event.ts";
import * as evidence from "../domain/evidence.ts";
import * as health from "../domain/health.ts";
import * as judge_profile from "../domain/judge-profile.ts";
import * as request from "../domain/request.ts";
import * as scenario from "../domain/scenario.ts";
import * as listing from "../domain/scenario-listing.ts";
import * as self_test from "../domain/self-test.ts";
import * as series from "../domain/series.ts";
import * as series_record from "../domain/series-record.ts";
import * as session from "../domain/session.ts";
import * as session_list from "../domain/session-list.ts";
import * as verdict from "../domain/verdict.ts";

const MODULES: readonly Readonly<Record<string, unknown>>[] = [
  decision,
  event,
  evidence,
  health,
  judge_profile,
  listing,
  request,
  scenario,
  series,
  series_record,
  self_test,
  session,
  session_list,
  verdict,
];

/** Fields of a query are parameters instead; a record of a series stays in the store. */
const OWN: ReadonlySet<unknown> = new Set([
  session_list.SessionListRequest,
  session_list.SessionSummaryRequest,
  series.SeriesListRequest,
  series_record.SeriesRecord,
  judge_profile.JudgesRequest,
]);

/** Every named schema of the domain, even one that no route mentions. */
export const VOCABULARY: readonly TSchema[] = MODULES.flatMap((module) => Object.values(module))
  .filter(isNamedSchema)
  .filter((schema) => !OWN.has(schema));

function isNamedSchema(value: unknown): value is TSchema {
  return typeof value === "object" && value !== null && "$id" in value && typeof value.$id === "string";
}
