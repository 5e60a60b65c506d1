import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { diagnose } from "../../src/doors/doctor/doctor.ts";
import { SCENARIOS } from "../harness.ts";
import { never, servicesOver, troubles } from "./small-scenario.ts";

const BUNDLED = readdirSync(SCENARIOS).flatMap((name) => (name.endsWith(".yaml") ? [name.slice(0, -5)] : []));

describe.each(BUNDLED)("the bundled scenario %s", (name) => {
  test("passes every check", async () => {
    const report = await diagnose(servicesOver(SCENARIOS, { sandbox: "auto" }), name, never);
    expect(troubles(report)).toEqual({});
    expect(report.ok).toBe(true);
  });
});
