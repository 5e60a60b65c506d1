import { expect, test } from "bun:test";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../temporary.ts";
import { aService } from "./service.ts";

const ROOT = join(import.meta.dir, "../..");

/** A program against the generated types: what it reads is what the compiler knows. */
const CLIENT = `
import type { components, paths } from "./api.ts";

type Started = paths["/api/runs/async"]["post"]["responses"][200]["content"]["application/json"];
type Body = paths["/api/runs/async"]["post"]["requestBody"]["content"]["application/json"];
type Session = paths["/api/sessions/{id}"]["get"]["responses"][200]["content"]["application/json"];
type Event = components["schemas"]["RunEvent"];

const [url = ""] = process.argv.slice(2);
const body: Body = { scenario: "brief" };
const headers = { "content-type": "application/json" };
const started = await fetch(url + "/api/runs/async", { method: "POST", headers, body: JSON.stringify(body) });
const { session_id }: Started = await started.json();
const text = await (await fetch(url + "/api/runs/" + session_id + "/stream")).text();
const events: Event[] = text.split("\\n\\n").filter((frame) => frame.startsWith("data: ")).map((frame) => JSON.parse(frame.slice(6)));
const tokens = events.reduce((sum, event) => sum + (event.event === "decision" ? event.decision.tokens_out : 0), 0);
const session: Session = await (await fetch(url + "/api/sessions/" + session_id)).json();
const series: components["schemas"]["Verdict"]["series"] extends null ? never : true = true;
type NewSeries = paths["/api/series"]["post"]["requestBody"]["content"]["application/json"];
type Series = paths["/api/series/{id}"]["get"]["responses"][200]["content"]["application/json"];
const repeated: NewSeries = { scenarios: ["quick"], trials: 2 };
const begun = await fetch(url + "/api/series", { method: "POST", headers, body: JSON.stringify(repeated) });
const { series_id }: components["schemas"]["SeriesStarted"] = await begun.json();
await (await fetch(url + "/api/series/" + series_id + "/stream")).text();
const report: Series = await (await fetch(url + "/api/series/" + series_id)).json();
const trials = report.kind === "contest" ? report.rounds : report.counts.trials;
const kind: "model_turn" extends components["schemas"]["Decision"]["kind"] ? true : never = true;
console.log(JSON.stringify({ state: session.state, winner: session.verdict?.winner ?? null, tokens, kind, series, trials }));
`;

/** Does not compile: the field is not in the document. */
const WRONG = `
import type { components } from "./api.ts";
export const body: components["schemas"]["RunRequest"] = { scenario: "brief", judge_modle: "x" };
`;

test("a client generated from the document compiles, and drives a run from start to verdict", async () => {
  using directory = temporaryDirectory();
  await using service = aService();
  const { url } = service.listen();
  const file = (name: string) => join(directory.path, name);
  symlinkSync(join(ROOT, "node_modules"), file("node_modules"));
  writeFileSync(file("openapi.json"), await (await service.get("/api/openapi.json")).text());
  writeFileSync(file("client.ts"), CLIENT);
  writeFileSync(file("wrong.ts"), WRONG);

  const generated = await run([
    process.execPath,
    join(import.meta.dir, "generate-types.ts"),
    file("openapi.json"),
    file("api.ts"),
  ]);
  expect(generated).toEqual({ status: 0, output: "" });

  const checked = await run([
    process.execPath,
    join(ROOT, "node_modules/typescript/bin/tsc"),
    ...["--strict", "--noEmit", "--target", "esnext", "--module", "preserve", "--moduleResolution", "bundler"],
    ...["--skipLibCheck", "--allowImportingTsExtensions", "--ignoreConfig", "--types", "bun", "--pretty", "false"],
    ...[file("client.ts"), file("wrong.ts")],
  ]);
  const [mistake = "", ...others] = checked.output.split("\n").filter((line) => /^\S.*error TS/.test(line));
  expect(others).toEqual([]);
  expect(mistake).toMatch(/^.*wrong\.ts.*judge_modle/);

  const { status, output } = await run([process.execPath, file("client.ts"), url]);
  expect({ status, result: JSON.parse(output) }).toEqual({
    status: 0,
    result: { state: "completed", winner: null, tokens: expect.any(Number), kind: true, series: true, trials: 2 },
  });
}, 60_000);

async function run(command: string[]): Promise<{ status: number; output: string }> {
  const child = Bun.spawn(command, { stdout: "pipe", stderr: "pipe", env: { PATH: process.env["PATH"] ?? "" } });
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { status: await child.exited, output: output + errors };
}
