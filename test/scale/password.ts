import { afterAll, beforeAll, expect } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { serve } from "../http/served.ts";
import { ROOT_USER, SANDBOX } from "../machine.ts";
import { describeNeeding, testNeeding } from "../needs.ts";
import { POSTGRES, type PostgresServer, postgresServer } from "../postgres/server.ts";
import { temporaryDirectory } from "../temporary.ts";

const PASSWORD = "canary/5f2d8c41@a07e93b6";
/** Not a secret to us: shows that the search below would have found one. */
const PLAIN = "plain-canary-71c2e0";
const FORMS = [
  PASSWORD,
  encodeURIComponent(PASSWORD),
  Buffer.from(PASSWORD).toString("base64").replace(/=+$/, ""),
  Buffer.from(PASSWORD).toString("hex"),
];

/** What a curious arm tries, and a file that carries what it found into the evidence. */
const SNOOP =
  "{ env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n' | grep -a canary; } | tee found.txt; exit 0";

const SCENARIO = JSON.stringify({
  name: "snoop",
  task: { prompt: "Look around." },
  arms: [
    {
      id: "one",
      model: "scripted/one",
      system_prompt: "One.",
      script: [{ calls: [{ run_command: { command: SNOOP } }] }, { say: "Done." }],
    },
    { id: "two", model: "scripted/two", system_prompt: "Two.", script: [{ say: "Done." }] },
  ],
  rubric: { criteria: [{ measure: "turns" }], judge: { model: "builtin/evidence" } },
});

describeNeeding(POSTGRES)("the database's password", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await postgresServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const findNone = async (sandbox: "auto" | "none", inUrl: boolean) => {
    const { urlFor, sql } = await server.create();
    await sql(`DO $$ BEGIN CREATE ROLE with_password LOGIN SUPERUSER PASSWORD '${PASSWORD}';
      EXCEPTION WHEN duplicate_object THEN NULL; END $$`);
    using directory = temporaryDirectory();
    writeFileSync(join(directory.path, "snoop.yaml"), SCENARIO);
    const user = inUrl ? `with_password:${encodeURIComponent(PASSWORD)}` : "with_password";
    const env = { PLAIN_VARIABLE: PLAIN, ABEVAL_DATABASE_URL: urlFor(user), ...(!inUrl && { PGPASSWORD: PASSWORD }) };
    const args = ["--scenarios-dir", directory.path, "--sandbox", sandbox, "--log", "json"];
    await using served = await serve(args, env);
    const ask = async (path: string, body?: object) => {
      const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
      return await (await fetch(new URL(path, served.url), body && init)).text();
    };
    const outcome = await ask("/api/runs", { scenario: "snoop" });
    expect(JSON.parse(outcome).state).toBe("completed");
    expect(outcome).toContain("found.txt");
    if (sandbox === "none" && ROOT_USER.met) expect(outcome).toContain(PLAIN);
    const pages = await Promise.all(["/api/health", "/api/doctor", "/api/sessions"].map((path) => ask(path)));
    // A line of the log that names the database.
    await sql("ALTER TABLE abeval.sessions RENAME TO gone");
    const failed = await ask("/api/sessions");
    await sql("ALTER TABLE abeval.gone RENAME TO sessions");
    expect(failed).toContain("storage_failed");
    const cmdline = readFileSync(`/proc/${served.child.pid}/cmdline`, "latin1");
    const rows = await everyRow(sql);
    expect(rows).toContain("found.txt");
    const { status } = await served.stop();
    expect(status).toBe(0);
    const seen = { outcome, pages, failed, cmdline, rows, log: served.log() };
    for (const [where, bytes] of Object.entries(seen))
      for (const form of FORMS) expect({ where, found: String(bytes).includes(form) }).toEqual({ where, found: false });
  };

  testNeeding(SANDBOX)("is nowhere, in a URL", () => findNone("auto", true));

  testNeeding(SANDBOX)("is nowhere, beside the URL", () => findNone("auto", false));

  testNeeding()("is nowhere, when commands have no sandbox", () => findNone("none", true));
});

/** What the database holds, and what it shows of who is connected. */
async function everyRow(sql: (statement: string) => Promise<Record<string, unknown>[]>): Promise<string> {
  const tables = await sql(
    "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname IN ('abeval', 'abeval_queue')",
  );
  const names = [...tables.map(({ name }) => String(name)), "pg_stat_activity"];
  const rows = await Promise.all(names.map((name) => sql(`SELECT one::text AS row FROM ${name} AS one`)));
  return rows
    .flat()
    .map(({ row }) => row)
    .join("\n");
}
