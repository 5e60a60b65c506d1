import { Database } from "bun:sqlite";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { NEED_OF_PROTOCOLS } from "../src/comparison/planning/needs.ts";
import { type Served, type ServedBy, serve } from "../test/http/served.ts";
import { jsonPost } from "../test/http/service.ts";
import { Fleet, startRun, stepsScenario } from "../test/postgres/fleet.ts";
import { type PostgresServer, postgresServer, type TestDatabase } from "../test/postgres/server.ts";
import { until } from "../test/turns.ts";
import { openCaseDirectories } from "./case-directories.ts";
import { type Followed, follow } from "./followed.ts";
import { type Found, foundIn, type Kept } from "./upgraded-runs.ts";

const PLACES = 2;

/** Where the releases follow one another: what they run on, and the clients who ask. */
export abstract class Site implements AsyncDisposable {
  readonly parts = new AsyncDisposableStack();
  readonly #accepted: string[] = [];
  readonly #series: string[] = [];
  readonly #followers: Promise<Followed>[] = [];
  #front: Served | undefined;
  #over = false;

  /** Everything of a release that takes runs. */
  abstract begin(by: ServedBy): Promise<void>;
  abstract stopAll(signal?: NodeJS.Signals): Promise<void>;
  /** What a version to come may add. */
  abstract addToTables(): Promise<void>;
  /** What is stored when nothing is open any more, or nothing moves. */
  abstract kept(): Promise<Kept>;
  protected abstract countOpen(): Promise<number>;

  /** Where clients go. */
  set front(served: Served) {
    this.#front = served;
  }

  get front(): Served {
    if (this.#front === undefined) throw new Error("no server was begun");
    return this.#front;
  }

  /** Starts runs, half of which take a second or two, and a series. All runs are followed. */
  async ask(runs: number, trials = 0): Promise<void> {
    for (let run = 0; run < runs; run += 1) {
      const id = await startRun(this.front, run % 2 === 0 ? "slow" : "steps");
      this.#accepted.push(id);
      this.#followers.push(
        follow(
          () => this.front,
          id,
          () => this.#over,
        ),
      );
    }
    if (trials === 0) return;
    const request = { scenarios: ["slow"], trials, parallel: 2 };
    const answer = await fetch(`${this.front.url}/api/series`, jsonPost(request));
    this.#series.push(((await answer.json()) as { readonly series_id: string }).series_id);
  }

  /** Waits until everything has ended, or nobody ends it, and looks at what is left. */
  async ending(): Promise<Found> {
    await until(async () => (await this.countOpen()) === 0, STRANDED_MS, 50).catch(() => undefined);
    this.#over = true;
    const followed = await Promise.all(this.#followers);
    const asked = { accepted: this.#accepted, series: this.#series, followed };
    return await foundIn(await this.kept(), asked, this.front.url);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over = true;
    await this.parts.disposeAsync();
  }
}

/** What is still open after so long is stranded. */
const STRANDED_MS = 60_000;

/** A server and workers on a database. */
export class SharedSite extends Site {
  readonly #database: TestDatabase;
  readonly #fleet: Fleet;
  #server: Served | undefined;
  readonly #workers = new Map<ServedBy, Served[]>();

  private constructor(postgres: PostgresServer, database: TestDatabase) {
    super();
    this.parts.use(postgres);
    this.#database = database;
    this.#fleet = this.parts.use(new Fleet(database.url));
  }

  static async open(): Promise<SharedSite> {
    const postgres = await postgresServer();
    return new SharedSite(postgres, await postgres.create());
  }

  async begin(by: ServedBy): Promise<void> {
    await this.addWorkers(by);
    await this.replaceServer(by);
  }

  async addWorkers(by: ServedBy): Promise<void> {
    const workers = [await this.#fleet.worker(PLACES, undefined, by), await this.#fleet.worker(PLACES, undefined, by)];
    this.#workers.set(by, workers);
  }

  async replaceServer(by: ServedBy): Promise<void> {
    const before = this.#server;
    this.#server = await this.#fleet.server(0, undefined, 0, by);
    this.front = this.#server;
    await before?.stop("SIGTERM");
  }

  async stopWorkers(by: ServedBy): Promise<void> {
    await Promise.all((this.#workers.get(by) ?? []).map((worker) => worker.stop("SIGTERM")));
    this.#workers.delete(by);
  }

  async stopAll(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    const workers = [...this.#workers.values()].flat();
    await Promise.all([this.front, ...workers].map((served) => served.stop(signal)));
    this.#workers.clear();
    this.#server = undefined;
  }

  async addToTables(): Promise<void> {
    for (const table of ["sessions", "entries", "series", "workers"])
      await this.#database.sql(`ALTER TABLE abeval.${table} ADD COLUMN of_the_next text`);
    await this.#database.sql("CREATE TABLE abeval.of_the_next (n int PRIMARY KEY)");
  }

  /** Resolves when nothing is left that only this version does. */
  async untilOthersCanGoOn(): Promise<void> {
    const ours = `data->'work'->'needs' ? '${NEED_OF_PROTOCOLS}'`;
    await this.#fleet.until(`abeval_queue.job WHERE state < 'completed' AND ${ours}`);
  }

  async kept(): Promise<Kept> {
    const series = await this.#fleet.ask<{ series_id: string; state: string }>(
      "SELECT series_id, state FROM abeval.series",
    );
    return { entries: await this.#fleet.entries(), series };
  }

  protected async countOpen(): Promise<number> {
    const [row] = await this.#fleet.ask<{ open: number }>(
      `SELECT ((SELECT count(*) FROM abeval.sessions WHERE NOT ended)
        + (SELECT count(*) FROM abeval.series WHERE state = 'running'))::int AS open`,
    );
    return row?.open ?? 0;
  }
}

/** One server with a state directory. */
export class StateSite extends Site {
  readonly #directories = this.parts.use(openCaseDirectories());
  #server: Served | undefined;

  constructor() {
    super();
    writeFileSync(join(this.#directories.path, "slow.yaml"), stepsScenario("slow", 4, 200));
    writeFileSync(join(this.#directories.path, "steps.yaml"), stepsScenario("steps", 4, 15));
  }

  async begin(by: ServedBy): Promise<void> {
    const { path, state, scratch } = this.#directories;
    const args = ["--scenarios-dir", path, "--state-dir", state, "--max-sessions", String(PLACES)];
    const others = ["--sandbox", "none", "--log", "none"];
    this.#server = this.parts.use(await serve([...args, ...others], { TMPDIR: scratch }, by));
    this.front = this.#server;
  }

  async stopAll(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    await this.#server?.stop(signal);
  }

  async addToTables(): Promise<void> {
    using database = this.#database();
    for (const table of ["sessions", "entries", "series"])
      database.run(`ALTER TABLE ${table} ADD COLUMN of_the_next TEXT`);
    database.run("CREATE TABLE of_the_next (n INTEGER PRIMARY KEY) STRICT");
  }

  async kept(): Promise<Kept> {
    using database = this.#database();
    const rows = database.query("SELECT session_id, n, attempt, entry FROM entries ORDER BY session_id, n").all();
    const entries = (rows as { session_id: string; n: number; attempt: number; entry: string }[]).map((row) => ({
      ...row,
      entry: JSON.parse(row.entry),
    }));
    return { entries, series: database.query("SELECT series_id, state FROM series").all() as Kept["series"] };
  }

  protected async countOpen(): Promise<number> {
    using database = this.#database();
    const open = "owner IS NOT NULL";
    const sql = `SELECT (SELECT count(*) FROM sessions WHERE ${open}) + (SELECT count(*) FROM series WHERE ${open}) AS n`;
    return (database.query(sql).get() as { n: number }).n;
  }

  #database(): Database {
    const database = new Database(join(this.#directories.state, "sessions.db"));
    database.run("PRAGMA busy_timeout = 5000");
    return database;
  }
}
