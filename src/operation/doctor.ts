import { Type } from "@sinclair/typebox";
import { DoctorReport } from "../domain/health.ts";
import { record, Slug } from "../domain/schema.ts";
import { operation } from "./operation.ts";

export const runDoctor = operation({
  name: "run_doctor",
  title: "Check the environment or a scenario",
  summary:
    "Whether runs can work here: sandbox, keys, directories. With a scenario also its fixture, probe, reference and budgets, which runs its commands. Never calls a model.",
  input: record("DoctorRequest", { scenario: Type.Optional(Slug({ description: "Scenario name." })) }),
  output: DoctorReport,
  async run(services, { scenario }, signal) {
    const { diagnose } = await import("../doctor/doctor.ts");
    return await diagnose(services, scenario ?? null, signal);
  },
});
