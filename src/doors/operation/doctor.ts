import type { DoctorReport } from "../../domain/doctor-report.ts";
import { Failure } from "../../domain/failure.ts";
import { seriesEstimate } from "../../statistics/power.ts";
import type { Operation } from "./operation.ts";

export const runDoctor: Operation<"runDoctor"> = async (services, { scenario, trials }, signal) => {
  if (trials !== undefined && scenario === undefined)
    throw new Failure("invalid_request", NO_SCENARIO, { details: { field: "trials" } });
  const { diagnose } = await import("../doctor/doctor.ts");
  const report = await diagnose(services, scenario ?? null, signal);
  const [told = report] = await withSeries([report], trials);
  return told;
};

const NO_SCENARIO = "trials: of which scenario? A series is estimated for one; name it in scenario";

/** The reports with what so many trials of each scenario take, all in one series. */
export async function withSeries(
  reports: readonly DoctorReport[],
  trials: number | undefined,
): Promise<readonly DoctorReport[]> {
  const estimates = reports.flatMap(({ estimate }) => estimate ?? []);
  if (trials === undefined || estimates.length < reports.length) return reports;
  const series = await seriesEstimate(estimates, trials);
  return reports.map((report) => ({ ...report, estimate: report.estimate && { ...report.estimate, series } }));
}
