import type { DoctorReport } from "../../domain/doctor-report.ts";
import { Failure } from "../../domain/failure.ts";
import { seriesEstimate } from "../../statistics/power.ts";
import type { Operation } from "./operation.ts";

export const runDoctor: Operation<"runDoctor"> = async (services, { scenario, trials }, signal) => {
  if (trials !== undefined && scenario === undefined)
    throw new Failure("invalid_request", NO_SCENARIO, { details: { field: "trials" } });
  const { diagnose } = await import("../doctor/doctor.ts");
  return await withSeries(await diagnose(services, scenario ?? null, signal), trials);
};

const NO_SCENARIO = "trials: of which scenario? A series is estimated for one; name it in scenario";

/** The report with what so many trials take. */
export async function withSeries(report: DoctorReport, trials: number | undefined): Promise<DoctorReport> {
  const { estimate } = report;
  if (estimate === null || trials === undefined) return report;
  return { ...report, estimate: { ...estimate, series: await seriesEstimate(estimate, trials) } };
}
