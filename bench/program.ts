import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionOutcome } from "../src/domain/session.ts";
import type { BenchProvider } from "./provider.ts";
import { type ServerProcess, startServer } from "./server-process.ts";

/** The program that is measured: the one that ABEVAL_BIN names, else the last build. */
export const ABEVAL = process.env["ABEVAL_BIN"] ?? join(import.meta.dir, "../dist/abeval");

/**
 * A directory for one part, removed when everything is measured. On ext4 without a journal a new file takes up to 500 us in
 * place of 25 for five minutes after many files were removed, which the next part would measure. Wait as long before a
 * second run there.
 */
export class BenchDirectory {
  readonly path = mkdtempSync(join(tmpdir(), "abeval-bench-"));
  readonly scenarios = join(this.path, "scenarios");

  constructor() {
    mkdirSync(this.scenarios);
    process.on("exit", () => rmSync(this.path, { recursive: true, force: true }));
  }

  /** Writes a scenario and gives its file. */
  scenario(name: string, text: string): string {
    const file = join(this.scenarios, `${name}.yaml`);
    writeFileSync(file, text);
    return file;
  }

  /** `abeval serve` over the scenarios of this directory. */
  serve(flags: readonly string[] = [], provider?: BenchProvider): Promise<ServerProcess> {
    const fixed = ["--addr", "127.0.0.1:0", "--scenarios-dir", this.scenarios, "--log", "none"];
    return startServer([ABEVAL, "serve", ...fixed, ...flags], provider?.environment);
  }
}

/** Two arms that are asked to say hello, and a judge. `arm` gives the rest of an arm in YAML's flow style. */
export function helloScenario(name: string, arm: (id: string) => string, judge: string, policies = ""): string {
  const lines = ["one", "two"].map((id) => `  - {id: ${id}, system_prompt: ${id}, ${arm(id)}}`);
  const rubric = `rubric: {criteria: [{question: Was it kind?}, {measure: turns}], judge: {model: ${judge}}}`;
  return [`name: ${name}`, "task: {prompt: Say hello.}", "arms:", ...lines, rubric, policies, ""].join("\n");
}

/** One call of a provider an arm, one in each order of the judge, no files and no commands. */
export const overProvider = (name: string, tools = "[]"): string =>
  helloScenario(name, () => `model: openai/m, tools: ${tools}`, "openai/judge");

/** The same without any provider. */
export const scripted = (name: string): string =>
  helloScenario(name, (id) => `model: scripted/${id}, script: [{say: Hello.}]`, "builtin/evidence");

/** One blocking run of a scenario. @throws Error when it is refused. */
export async function post(
  { url }: Pick<ServerProcess, "url">,
  scenario: string,
  path = "/api/runs",
): Promise<Response> {
  const response = await fetch(new URL(path, url), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ scenario }),
  });
  if (!response.ok) throw new Error(await response.text());
  return response;
}

/** One blocking run, its answer read to the end. */
export const run = async (server: Pick<ServerProcess, "url">, scenario: string): Promise<unknown> =>
  await (await post(server, scenario)).arrayBuffer();

/** Flags of a server for so many sessions at once, with the most provider calls that it allows. */
export const limits = (together: number) => ["--max-sessions", `${together}`, "--max-provider-calls", "200"];

/** Does `total` pieces of work, `together` at a time; milliseconds for all. */
export async function timeTogether(total: number, together: number, work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  let left = total;
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      await work();
    }
  };
  await Promise.all(Array.from({ length: together }, lane));
  return performance.now() - began;
}

/** The one session of a state directory. */
export async function storedSession(state: string): Promise<SessionOutcome> {
  const [name = ""] = readdirSync(join(state, "sessions"));
  return await Bun.file(join(state, "sessions", name)).json();
}
