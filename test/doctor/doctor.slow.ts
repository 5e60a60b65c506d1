import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { diagnose } from "../../src/doors/doctor/doctor.ts";
import { EXAMPLES, SCENARIOS } from "../harness.ts";
import { never, servicesOver, troubles } from "./small-scenario.ts";

const BUNDLED = [SCENARIOS, EXAMPLES].flatMap((directory) =>
  readdirSync(directory).flatMap((name) => (name.endsWith(".yaml") ? [[name.slice(0, -5), directory] as const] : [])),
);

describe.each(BUNDLED)("the bundled scenario %s", (name, directory) => {
  test("passes every check", async () => {
    const report = await diagnose(servicesOver(directory, { sandbox: "auto" }), name, never);
    // It starts the program, which only whoever rehearses asks for.
    expect(troubles(report)).toEqual(name === "own-program" ? { "programs.rehearsal": "skip" } : {});
    expect(report.ok).toBe(true);
  });
});
