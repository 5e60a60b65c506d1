import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { serve } from "../http/served.ts";
import { jsonPost, scenarioText } from "../http/service.ts";
import { describeNeeding } from "../needs.ts";
import { POSTGRES, type PostgresServer, postgresServer } from "../postgres/server.ts";
import { scenarioFolder } from "../scenario/scenario-folder.ts";

const definition = (name: string, check: object) => ({
  name,
  task: { prompt: "Say hello.", probe: { checks: [{ ...check, required: true }] } },
  arms: ["Hello.", "Good morning."].map((say, n) => ({
    ...{ id: `arm-${n}`, model: `scripted/${n}`, tools: [], script: [{ say }] },
  })),
  rubric: { criteria: [{ measure: "probe_score" }], judge: { model: "builtin/evidence" } },
});

const PLAIN = definition("plain", { answer_contains: "Hello" });
const CODE = definition("code", { run: 'grep -qr Hello "$ABEVAL_EVIDENCE"' });

const SENT = ["--allow-new-scenarios", "--allowed-origin", "self"];

describeNeeding(POSTGRES)("scenarios that are sent to one of several servers", () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await postgresServer();
  });
  afterAll(() => postgres[Symbol.asyncDispose]());

  async function servers() {
    const stack = new AsyncDisposableStack();
    const folder = stack.use(await scenarioFolder({ "file.yaml": scenarioText("file") }));
    const { url } = await postgres.create();
    const start = async (...flags: string[]) =>
      stack.use(
        await serve(["--log", "none", "--scenarios-dir", folder.directory, ...flags], { ABEVAL_DATABASE_URL: url }),
      );
    return { folder, start, [Symbol.asyncDispose]: () => stack.disposeAsync() };
  }

  const keep = async (url: string, body: object, headers: Readonly<Record<string, string>>) => {
    const init = jsonPost({ definition: body });
    return await fetch(`${url}/api/scenarios`, { ...init, headers: { ...init.headers, ...headers } });
  };

  const run = async (url: string, scenario: string) => {
    const response = await fetch(`${url}/api/runs`, jsonPost({ scenario }));
    return (await response.json()) as SessionOutcome & { error?: { message: string } };
  };

  const names = async (url: string) =>
    ((await (await fetch(`${url}/api/scenarios`)).json()) as { name: string }[]).map(({ name }) => name);

  test("every server sees what was made, files win, and one of two that replace it at once is refused", async () => {
    await using place = await servers();
    const one = await place.start(...SENT);
    const other = await place.start(...SENT);
    const made = await keep(one.url, PLAIN, { "if-none-match": "*" });
    expect(made.status).toBe(200);
    expect(await names(other.url)).toEqual(["file", "plain"]);
    expect(await run(other.url, "plain")).toMatchObject({ verdict: { winner: "arm-0" } });
    expect((await keep(other.url, PLAIN, { "if-none-match": "*" })).status).toBe(412);
    expect((await keep(one.url, { ...PLAIN, name: "file" }, { "if-none-match": "*" })).status).toBe(412);
    const match = { "if-match": made.headers.get("etag") ?? "" };
    expect((await keep(one.url, { ...PLAIN, name: "file" }, match)).status).toBe(403);
    const both = await Promise.all(
      [one, other].map(({ url }, n) => keep(url, { ...PLAIN, title: `Title ${n}` }, match)),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([200, 412]);
    const [title] = both.flatMap(({ status }, n) => (status === 200 ? [`Title ${n}`] : []));
    for (const { url } of [one, other])
      expect(await (await fetch(`${url}/api/scenarios/plain`)).json()).toMatchObject({ title });
    // A file that comes later stands for the row.
    await Bun.write(join(place.folder.directory, "plain.yaml"), scenarioText("plain"));
    expect(await run(other.url, "plain")).toMatchObject({ arms: [{ arm_id: "left" }, { arm_id: "right" }] });
  });

  test("a server without --allow-commands shows a scenario that needs them, and does not run it", async () => {
    await using place = await servers();
    const one = await place.start(...SENT, "--allow-commands");
    const plain = await place.start();
    expect((await keep(one.url, CODE, { "if-none-match": "*" })).status).toBe(200);
    expect(await run(one.url, "code")).toMatchObject({ verdict: { winner: "arm-0" } });
    expect(await names(plain.url)).toEqual(["code", "file"]);
    expect((await run(plain.url, "code")).error?.message).toBe(
      "code runs commands, and this server has no --allow-commands",
    );
  });
});
