import type { Series } from "../domain/series.ts";

export const seriesJunit = (series: Series): string => JSON.stringify(series.statement);
