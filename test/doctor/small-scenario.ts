import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { providerStatuses } from "../../src/arms/model/check-model.ts";
import { Credentials } from "../../src/arms/model/credentials.ts";
import { Sandboxes } from "../../src/arms/sandbox/sandboxes.ts";
import { SelfTests } from "../../src/comparison/audit/self-tests.ts";
import type { ScenarioFile } from "../../src/comparison/scenario/authored/scenario-file.ts";
import { openCatalog } from "../../src/comparison/scenario/scenario-catalog.ts";
import type { DoctorCheck, DoctorReport } from "../../src/domain/doctor-report.ts";
import { Diagnoses } from "../../src/doors/doctor/diagnoses.ts";
import { diagnose } from "../../src/doors/doctor/doctor.ts";
import type { Services } from "../../src/doors/doctor/services.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { testServices } from "../harness.ts";
import { scenarioFolder } from "../scenario/scenario-folder.ts";
import { temporaryDirectory } from "../temporary.ts";

/** Nothing is wrong with it, and every part that doctor looks at is there. */
export const goodScenario = () =>
  ({
    name: "small",
    varies: ["system_prompt"],
    task: {
      prompt: "The greeting has a letter too few. Correct it.",
      fixture: { files: { "hello.txt": "Hello wold, nice to see you\n", "notes.md": "keep me\n" } },
      setup: ["test -f hello.txt"],
      probe: {
        files: { "hidden.sh": "grep -q 'Hello world' hello.txt && echo 'the greeting is right'\n" },
        checks: [
          { id: "greeting", run: "sh hidden.sh", output_matches: "the greeting is right", before: "fail" },
          { id: "notes", run: "test -f notes.md", before: "pass" },
        ],
      },
      reference_fix: { files: { "hello.txt": "Hello world, nice to see you\n" } },
      deliverable: ["hello.txt"],
    },
    arms: [
      { id: "brief", model: "scripted/a", system_prompt: "You are brief.", script: [{ say: "Done." }] },
      { id: "careful", extends: "brief", system_prompt: "You are careful." },
    ],
    policies: { paths: { writable: ["*.txt"], protected: ["*.md"] } },
    rubric: { criteria: [{ measure: "probe_score" }, { measure: "turns" }], judge: { model: "builtin/evidence" } },
  }) satisfies ScenarioFile;

export type Draft = ReturnType<typeof goodScenario>;

/** Commands run without a sandbox, which is fast, and lets them leave traces outside that a test can count. */
export function servicesOver(
  directory: string,
  { environment = {}, ...changes }: Partial<Services> & { environment?: Record<string, string> } = {},
): Services {
  return {
    ...testServices(environment, { sandbox: "none" }),
    catalog: openCatalog(directory),
    started_ticks: 0,
    state_dir: undefined,
    web_dir: undefined,
    listen_host: undefined,
    providers: () => providerStatuses(new Credentials(environment)),
    self_tests: new SelfTests(),
    diagnoses: new Diagnoses(),
    ...changes,
  };
}

export const never = new AbortController().signal;

/** Writes a scenario, which may be broken in any way, and diagnoses it. JSON is YAML too. */
export async function diagnoseFile(
  scenario: unknown,
  changes: Parameters<typeof servicesOver>[1] = {},
  material: Readonly<Record<string, string>> = {},
): Promise<DoctorReport> {
  await using folder = await scenarioFolder({ "small.yaml": JSON.stringify(scenario), ...material });
  return await diagnose(servicesOver(folder.directory, changes), "small", never);
}

/** What doctor says of checks that nobody has shown to pass. */
export async function saidOfProof(
  task: object,
  material: Readonly<Record<string, string>> = {},
): Promise<string | null | undefined> {
  const { task: good, ...draft } = goodScenario();
  const { reference_fix: _, ...unproven } = good;
  const { checks } = await diagnoseFile({ ...draft, task: { ...unproven, ...task } }, {}, material);
  return checks.find(({ id }) => id === "reference.passes")?.detail;
}

export const UNPROVED = "nothing shows that an arm can pass the checks";

export const ofScenario = ({ checks }: DoctorReport): readonly DoctorCheck[] =>
  checks.filter(({ scope }) => scope === "scenario");

export type Troubles = Readonly<Record<string, DoctorCheck["status"]>>;

/** Status by id, for all checks of a scenario that did not pass. */
export const troubles = (report: DoctorReport): Troubles =>
  Object.fromEntries(
    ofScenario(report)
      .filter(({ status }) => status !== "pass")
      .map(({ id, status }) => [id, status]),
  );

/** A host with a shell and what the small scenario calls, and without bubblewrap. */
export function hostWithoutBubblewrap(): Disposable & Pick<Services, "sandboxes"> {
  const tools = temporaryDirectory();
  for (const name of ["sh", "grep"]) symlinkSync(Bun.which(name) ?? "", join(tools.path, name));
  const sandboxes = new Sandboxes({ clock: systemClock, path: tools.path, executable: process.execPath });
  return { sandboxes, [Symbol.dispose]: () => tools[Symbol.dispose]() };
}
