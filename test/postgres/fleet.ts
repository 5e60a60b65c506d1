import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import type { RunEvent } from "../../src/domain/event.ts";
import type { SessionEntry } from "../../src/domain/session-entry.ts";
import { type Served, type ServedBy, serve } from "../http/served.ts";
import { jsonPost } from "../http/service.ts";
import { temporaryDirectory } from "../temporary.ts";
import { until } from "../turns.ts";

/** Seconds; the shortest that may be chosen. */
export const LEASE_S = 10;

export interface StoredEntry {
  readonly session_id: string;
  readonly n: number;
  readonly attempt: number;
  readonly entry: SessionEntry;
}

/** Processes of abeval on one database, with scenarios that need nothing of the machine. */
export class Fleet implements AsyncDisposable {
  readonly #url: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #sql: SQL;
  readonly #parts = new AsyncDisposableStack();
  readonly #scenarios: string;

  /** `env` is that of its processes, besides the database. */
  constructor(url: string, env: Readonly<Record<string, string>> = {}) {
    this.#url = url;
    this.#env = env;
    this.#sql = new SQL(url, { max: 1 });
    this.#parts.defer(() => this.#sql.close({ timeout: 0 }).catch(() => undefined));
    this.#scenarios = this.#parts.use(temporaryDirectory()).path;
    writeFileSync(join(this.#scenarios, "steps.yaml"), stepsScenario("steps", 4, 15));
    writeFileSync(join(this.#scenarios, "brief.yaml"), stepsScenario("brief", 1, 0));
    writeFileSync(join(this.#scenarios, "slow.yaml"), stepsScenario("slow", 4, 200));
    writeFileSync(join(this.#scenarios, "lasting.yaml"), stepsScenario("lasting", 16, 200));
    writeFileSync(join(this.#scenarios, "endless.yaml"), stepsScenario("endless", 150, 400));
    writeFileSync(join(this.#scenarios, "long.yaml"), stepsScenario("long", 1, 60_000));
    writeFileSync(join(this.#scenarios, "contest.yaml"), stepsScenario("contest", 4, 60, ["left", "middle", "right"]));
    writeFileSync(join(this.#scenarios, "dear.yaml"), DEAR_SCENARIO);
  }

  /** Accepts runs, and executes them when it has places. `url` may lead to the database by a detour. */
  async server(places = 0, url = this.#url, grace_s = 0, by?: ServedBy): Promise<Served> {
    const args = ["--scenarios-dir", this.#scenarios, "--max-sessions", String(places)];
    return await this.#start(args, url, grace_s, by);
  }

  /** Executes runs; it answers nobody. */
  async worker(places: number, url = this.#url, by?: ServedBy): Promise<Served> {
    const served = await this.#start(["--worker", "--max-sessions", String(places)], url, 0, by);
    await this.until("(SELECT WHERE NOT EXISTS (SELECT FROM abeval.workers WHERE slots > 0)) AS nobody");
    return served;
  }

  /** Of the database, also while it is away now and then. */
  async ask<T>(statement: string): Promise<readonly T[]> {
    for (;;) {
      try {
        return [...(await this.#sql.unsafe<T[]>(statement))];
      } catch (error) {
        if (!/^ERR_POSTGRES_CONNECTION|^57P/.test(codeOf(error))) throw error;
        await Bun.sleep(20);
      }
    }
  }

  /** Resolves when no row fits. */
  async until(none: string): Promise<void> {
    await until(async () => (await this.ask(`SELECT FROM ${none} LIMIT 1`)).length === 0, 110_000);
  }

  /** Resolves when as many sessions were accepted as there should be, and all have ended. */
  async untilAllEnded(): Promise<void> {
    await this.until("abeval.sessions WHERE NOT ended");
  }

  /** All entries, in the order of each log. */
  async entries(): Promise<readonly StoredEntry[]> {
    const rows = await this.ask<Omit<StoredEntry, "entry"> & { readonly entry: string }>(
      "SELECT session_id, n, attempt, entry FROM abeval.entries ORDER BY session_id, n",
    );
    return rows.map((row) => ({ ...row, entry: JSON.parse(row.entry) as SessionEntry }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.disposeAsync();
  }

  async #start(args: readonly string[], url: string, grace_s: number, by?: ServedBy): Promise<Served> {
    const settings = [
      "--lease",
      String(LEASE_S),
      "--max-queued",
      "1000",
      "--log",
      "none",
      "--sandbox",
      "none",
      "--grace",
      String(grace_s),
    ];
    return this.#parts.use(await serve([...args, ...settings], { ...this.#env, ABEVAL_DATABASE_URL: url }, by));
  }
}

const codeOf = (error: unknown) => {
  const { code = "", errno = "" } = error as { readonly code?: string; readonly errno?: string };
  return /^\d/.test(String(errno)) ? String(errno) : code;
};

/** The arms write and edit a file `rounds` times. */
export function stepsScenario(name: string, rounds: number, delay_ms: number, arms = ["left", "right"]): string {
  const turn = (call: string) => `{calls: [${call}], delay_ms: ${delay_ms}}`;
  const round = [
    turn("{write_file: {path: a.txt, content: one}}"),
    turn("{edit_file: {path: a.txt, old_text: one, new_text: two}}"),
  ];
  const script = [...Array(rounds).fill(round).flat(), "{say: Done.}"].join(", ");
  const arm = (id: string) =>
    `{id: ${id}, model: scripted/${id}, price_per_mtok: {in: 3, out: 15}, system_prompt: ${id}., script: [${script}]}`;
  return `
name: ${name}
task: {prompt: Work.}
arms:
  - ${arms.map(arm).join("\n  - ")}
rubric: {criteria: [{id: turns, measure: turns}], judge: {model: builtin/evidence}}
`;
}

/** An answer of a kilobyte that takes two comparisons at each of its levels: without a bound nobody lives to see the end. */
const DEAR_SCENARIO = `
name: dear
task:
  prompt: Answer.
  probe:
    checks:
      - answer_json:
          $dynamicAnchor: node
          oneOf:
            - {properties: {child: {$dynamicRef: "#node"}, kind: {const: text}}, required: [kind]}
            - {properties: {child: {$dynamicRef: "#node"}, kind: {const: list}}, required: [kind]}
arms:
  - {id: left, model: scripted/left, script: [{say: '${'{"child":'.repeat(60)}{"kind":"text"}${',"kind":"list"}'.repeat(60)}'}]}
  - {id: right, model: scripted/right, script: [{say: None.}]}
rubric: {criteria: [{id: turns, measure: turns}], judge: {model: builtin/evidence}}
`;

/** Starts a run, as a client does that tries again when it is told to. @throws Error with the answer when it is refused */
export async function startRun({ url }: Pick<Served, "url">, scenario: string): Promise<string> {
  return await until(async () => {
    const answer = await fetch(`${url}/api/runs/async`, jsonPost({ scenario }));
    const { session_id, error } = (await answer.json()) as { session_id?: string; error?: { code: string } };
    if (session_id === undefined && error?.code !== "not_ready") throw new Error(JSON.stringify(error));
    return session_id;
  });
}

/** Every event of a run until its stream ends; undefined when it has ended already. */
export async function streamed(
  { url }: Pick<Served, "url">,
  session_id: string,
): Promise<readonly RunEvent[] | undefined> {
  const answer = await fetch(`${url}/api/runs/${session_id}/stream`);
  if (answer.status === 404) return undefined;
  if (!answer.ok) throw new Error(await answer.text());
  const frames = (await answer.text()).split("\n\n").map((frame) => /^data: (.*)$/m.exec(frame)?.[1]);
  return frames.flatMap((data) => (data === undefined ? [] : [JSON.parse(data) as RunEvent]));
}
