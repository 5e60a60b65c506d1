import type { DoctorCheck, DoctorReport } from "./health.ts";

/** `ready; 2 to look at`: the answer of a report, and what of `checks` asks for attention. */
export function readiness(ok: boolean, checks: readonly DoctorCheck[]): string {
  const count = (wanted: DoctorCheck["status"]) => checks.filter(({ status }) => status === wanted).length;
  const [failed, warned] = [count("fail"), count("warn")];
  const said = [...(failed > 0 ? [`${failed} failed`] : []), ...(warned > 0 ? [`${warned} to look at`] : [])];
  return [ok ? "ready" : "not ready", ...(said.length > 0 ? [said.join(", ")] : [])].join("; ");
}

/** The checks that people want to read. For an invalid file that is the reason alone, not every skipped check. */
export function checksToTell({ checks }: Pick<DoctorReport, "checks">): readonly DoctorCheck[] {
  const isInvalid = checks.some(({ id, status }) => id === "parse" && status === "fail");
  return isInvalid ? checks.filter(({ scope, status }) => scope !== "scenario" || status !== "skip") : checks;
}
