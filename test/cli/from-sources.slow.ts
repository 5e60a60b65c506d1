import { expect, test } from "bun:test";
import type { Verdict } from "../../src/domain/verdict.ts";
import { abeval, FROM_SOURCES, type Invocation, scenarioFile } from "../abeval.ts";
import { serve } from "../http/served.ts";

// Other tests of a suite start what it compiled. test/mcp/raw-bytes.slow.ts has a start of `abeval mcp` from the sources.

const finding = async (invocation: Invocation) => {
  const { status, stdout } = await abeval(["run", scenarioFile("suite-receipt"), "--quiet"], invocation);
  const { statement }: Verdict = JSON.parse(stdout);
  return { status, statement };
};

test("a run from the sources finds what the program finds", async () => {
  const expected = await finding({});
  expect(expected).toEqual({ status: 0, statement: expect.stringContaining("Hidden checks passed: candidate 2/2") });
  expect(await finding({ program: FROM_SOURCES })).toEqual(expected);
});

test("a server from the sources answers, and stops when it is told to", async () => {
  await using server = await serve([], {}, { program: FROM_SOURCES });
  expect((await fetch(`${server.url}/api/health`)).status).toBe(200);
  expect(await server.stop()).toEqual({ status: 0 });
});
