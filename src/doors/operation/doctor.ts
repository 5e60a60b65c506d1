import { Type } from "@sinclair/typebox";
import { DoctorReport } from "../../domain/doctor-report.ts";
import { Failure } from "../../domain/failure.ts";
import { record, Slug } from "../../domain/schema.ts";
import { SeriesLimits } from "../../domain/series-record.ts";
import { seriesEstimate } from "../../statistics/power.ts";
import { operation } from "./operation.ts";

const Trials = SeriesLimits.properties.trials;

export const runDoctor = operation({
  name: "run_doctor",
  title: "Check the environment or a scenario",
  summary:
    "Whether runs can work here: sandbox, keys, directories. With a scenario it also checks fixture, hidden checks, reference and budgets, and runs the scenario's commands for that. It never calls a model.",
  input: record("DoctorRequest", {
    scenario: Type.Optional(Slug({ description: "Scenario name." })),
    trials: Type.Optional({ ...Trials, description: "Also estimate a series of this many trials." }),
  }),
  output: DoctorReport,
  async run(services, { scenario, trials }, signal) {
    if (trials !== undefined && scenario === undefined)
      throw new Failure("invalid_request", NO_SCENARIO, { details: { field: "trials" } });
    const { diagnose } = await import("../doctor/doctor.ts");
    return await withSeries(await diagnose(services, scenario ?? null, signal), trials);
  },
});

const NO_SCENARIO = "trials: of which scenario? A series is estimated for one; name it in scenario";

/** The report with what so many trials take. */
export async function withSeries(report: DoctorReport, trials: number | undefined): Promise<DoctorReport> {
  const { estimate } = report;
  if (estimate === null || trials === undefined) return report;
  return { ...report, estimate: { ...estimate, series: await seriesEstimate(estimate, trials) } };
}
