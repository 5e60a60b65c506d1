import { cut } from "../../../domain/excerpt.ts";
import { SERIES_MEASURES, type SeriesMeasure } from "../../../domain/series-record.ts";
import { notWorseByOf, UsageError } from "./parse-arguments.ts";
import type { RunArguments } from "./run-flags.ts";

/** What is measured, what the candidate must not be worse by, and who it is compared with. @throws UsageError */
export function comparedBy({ value }: Pick<RunArguments, "value">) {
  const measure = measureNamed(value("measure"));
  const [not_worse_by, control, cluster] = [notWorseByOf(value("not-worse-by")), value("control"), value("cluster")];
  return {
    ...(measure !== undefined && { measure }),
    ...(not_worse_by !== undefined && { not_worse_by }),
    ...(control !== undefined && { control }),
    ...(cluster !== undefined && { cluster }),
  };
}

/** @throws UsageError */
function measureNamed(text: string | undefined): SeriesMeasure | undefined {
  const measure = SERIES_MEASURES.find((one) => one === text);
  if (text === undefined || measure !== undefined) return measure;
  throw new UsageError(`--measure: expected solved, score or preferred, got "${cut(text)}"`);
}
