import { expect } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ScenarioListing } from "../../src/domain/scenario.ts";
import { abeval, startAbeval } from "../abeval.ts";
import { serve } from "../http/served.ts";
import { scenarioText } from "../http/service.ts";
import { temporaryDirectory } from "../temporary.ts";
import { verifies } from "./verifies.ts";

verifies(["serve:addr"], "--addr is where it listens, and its URL is told", async () => {
  await using served = await serve(["--addr", "localhost:0"]);
  expect(served.url).toMatch(/^http:\/\/localhost:\d+$/);
  expect((await fetch(`${served.url}/api/health`)).status).toBe(200);
});

verifies(["serve:default-addr"], "the address is 127.0.0.1:8080 unless another is named", async () => {
  const { stdout, status } = await abeval(["serve", "--help"]);
  expect(status).toBe(0);
  expect(stdout).toContain("default 127.0.0.1:8080");
  const child = startAbeval(["serve"]);
  // Another program may have the port. The refusal names it then.
  let said = "";
  for await (const chunk of child.stderr.pipeThrough(new TextDecoderStream())) {
    said += chunk;
    if (said.includes("127.0.0.1:8080")) child.kill("SIGINT");
  }
  await child.exited;
  expect(said).toContain("127.0.0.1:8080");
});

verifies(["serve:scenarios-dir"], "scenarios are read from ./scenarios unless another directory is named", async () => {
  using directory = temporaryDirectory();
  mkdirSync(join(directory.path, "scenarios"));
  writeFileSync(join(directory.path, "scenarios", "own.yaml"), scenarioText("own"));
  await using served = await serve([], {}, { cwd: directory.path });
  const rows = (await (await fetch(`${served.url}/api/scenarios`)).json()) as ScenarioListing[];
  expect(rows.map(({ name }) => name)).toEqual(["own"]);
});
