import { Database } from "bun:sqlite";
import { Elysia } from "elysia";

/** The least that runs comparisons: the framework, the calls of two arms and of a judge in both orders, one row each. */
const database = new Database(process.argv[2] ?? ":memory:");
database.run("PRAGMA journal_mode = WAL");
database.run("PRAGMA synchronous = FULL");
database.run("CREATE TABLE sessions (position INTEGER PRIMARY KEY, outcome TEXT)");
const insert = database.query("INSERT INTO sessions (outcome) VALUES (?)");

const url = `${process.env["OPENAI_BASE_URL"]}/chat/completions`;

async function call(body: object): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return await response.json();
}

const arm = { model: "m", messages: [{ role: "user", content: "Say hello." }] };
const app = new Elysia()
  .post("/api/runs", async () => {
    const arms = await Promise.all([call(arm), call(arm)]);
    const judge = { ...arm, arms, tool_choice: "auto" };
    const outcome = { arms, verdict: await Promise.all([call(judge), call(judge)]) };
    insert.run(JSON.stringify(outcome));
    return outcome;
  })
  .listen({ hostname: "127.0.0.1", port: 0 });
console.error(`listening on http://127.0.0.1:${app.server?.port}`);
