import type { Series } from "../domain/series.ts";

export const seriesMarkdown = (series: Series): string => series.statement;
