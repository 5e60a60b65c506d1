import { afterAll, beforeAll, expect, test } from "bun:test";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { againstScript, serveAnswers } from "../endpoint/served-answer.ts";
import { serve } from "../http/served.ts";
import { jsonPost } from "../http/service.ts";
import { describeNeeding } from "../needs.ts";
import { POSTGRES, type PostgresServer, postgresServer } from "../postgres/server.ts";
import { scenarioFolder } from "../scenario/scenario-folder.ts";

describeNeeding(POSTGRES)("endpoints on several processes", () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await postgresServer();
  });
  afterAll(() => postgres[Symbol.asyncDispose]());

  /** A program that answers for an arm, and checks the answers of both; and a scenario that names it. */
  async function asked() {
    const answers = serveAnswers(({ body }) =>
      Response.json(body["protocol"] === "abeval/check/1" ? { score: body["answer"] === "fine" ? 0 : 1 } : SAID),
    );
    const posted = `      - {id: near, posted: {url: "${answers.url}"}, score: true}\narms:\n`;
    const text = againstScript(`{id: app, endpoint: {url: "${answers.url}"}}`).replace("arms:\n", posted);
    const folder = await scenarioFolder({ "served.yaml": text });
    const { url } = await postgres.create();
    const { host } = new URL(answers.url);
    const common = ["--log", "none", "--sandbox", "none"];
    return {
      answers,
      /** Accepts runs and executes none. */
      server: () =>
        serve([...common, "--scenarios-dir", folder.directory, "--max-sessions", "0", "--allow-endpoint", host], {
          ABEVAL_DATABASE_URL: url,
        }),
      worker: (...allowed: string[]) => serve([...common, "--worker", ...allowed], { ABEVAL_DATABASE_URL: url }),
      host,
      [Symbol.asyncDispose]: async () => {
        await folder[Symbol.asyncDispose]();
        await answers[Symbol.asyncDispose]();
      },
    };
  }

  const SAID = { answer: "all good", version: "7" };

  test("a run goes to a worker that may ask the host, and nobody else takes it", async () => {
    await using place = await asked();
    await using worker = await place.worker();
    await using server = await place.server();
    const start = async (path: string, body: object) => await fetch(`${server.url}${path}`, jsonPost(body));
    const refused = await start("/api/runs", { scenario: "served" });
    expect(refused.status).toBe(422);
    expect(await refused.text()).toContain("endpoint:127.0.0.1");
    await using able = await place.worker("--allow-endpoint", place.host);
    const { arms, state } = (await (await start("/api/runs", { scenario: "served" })).json()) as SessionOutcome;
    expect(state).toBe("completed");
    expect(arms[0]).toMatchObject({ final_answer: "all good", model_served: "7" });
    expect(arms.map(({ probe }) => probe?.checks[1])).toMatchObject([
      { status: "scored", score: 1 },
      { status: "scored", score: 0 },
    ]);
    // A question and two checks, each once.
    expect(place.answers.asked.length).toBe(3);
    expect([worker, able].map(({ log }) => log()).join("")).not.toContain("failed");
  });

  test("a series of endpoint arms is run by workers", async () => {
    await using place = await asked();
    await using server = await place.server();
    await using one = await place.worker("--allow-endpoint", place.host);
    await using other = await place.worker("--allow-endpoint", place.host);
    const body = { scenarios: ["served"], trials: 4, parallel: 4 };
    const answer = await fetch(`${server.url}/api/series`, jsonPost(body));
    const { series_id } = (await answer.json()) as { series_id: string };
    const frames = await fetch(`${server.url}/api/series/${series_id}/stream`);
    await frames.text();
    const series = (await (await fetch(`${server.url}/api/series/${series_id}`)).json()) as Record<string, unknown>;
    expect(series).toMatchObject({
      state: "completed",
      trials: Array(4).fill({ outcome: "winner", winner_side: "a" }),
    });
    expect(place.answers.asked.length).toBe(12);
    expect([one, other].map(({ log }) => log()).join("")).not.toContain("failed");
  });
});
