import { Type } from "@sinclair/typebox";
import { StoredResults } from "../domain/results.ts";
import { SeriesRecord } from "../domain/series-record.ts";
import { storedJson } from "./stored-json.ts";

/** What stands in a row of series: one that runs or ran here, or a table of results. */
export type StoredSeries = SeriesRecord | StoredResults;

/** Undefined for what is damaged, or of another version. */
export const parsedSeries = storedJson(Type.Union([SeriesRecord, StoredResults]));

/** Reading a byte of a series, and checking it, takes as long as reading so many of a file. */
export const READ_LIKE = 10;

export const isResults = (stored: StoredSeries): stored is StoredResults => "results" in stored;

/** As it is stored again: the same results were first stored when they were. */
export const keptAgain = (results: StoredResults, before: StoredSeries | undefined): StoredResults =>
  before ? { ...results, created_at: before.created_at } : results;
