import { expect, test } from "bun:test";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { againstScript, serveAnswers } from "../endpoint/served-answer.ts";
import { scenarioFolder } from "../scenario/scenario-folder.ts";
import { serve } from "./served.ts";
import { jsonPost } from "./service.ts";

/** A deployed arm whose answer is checked by the program that gave it. */
const asked = (url: string) =>
  againstScript(`{id: app, endpoint: {url: "${url}", headers_env: {authorization: ABEVAL_ENDPOINT_TOKEN}}}`).replace(
    "arms:\n",
    `      - {id: polite, posted: {url: "${url}"}}\narms:\n`,
  );

const TOKEN = "Bearer Qx7Zk2Qx7Zk2Qx7Zk2";

test("a server asks the hosts that it may, for arms and checks, and never itself", async () => {
  await using answers = serveAnswers(({ body }) =>
    Response.json(body["protocol"] === "abeval/check/1" ? { pass: body["answer"] !== "fine" } : { answer: "all good" }),
  );
  await using folder = await scenarioFolder({ "served.yaml": asked(answers.url) });
  const { host } = new URL(answers.url);
  const args = ["--scenarios-dir", folder.directory, "--sandbox", "none"];
  const env = { ABEVAL_ENDPOINT_TOKEN: TOKEN };
  await using server = await serve([...args, "--allow-endpoint", host, "--allow-endpoint", "127.0.0.1"], env);
  const run = async (url: string) => await fetch(`${url}/api/runs`, jsonPost({ scenario: "served" }));
  const text = await (await run(server.url)).text();
  const { arms, definition, verdict } = JSON.parse(text) as SessionOutcome;
  expect(verdict?.winner).toBe("app");
  expect(arms.map(({ probe }) => probe?.checks.map(({ status }) => status))).toEqual([
    ["pass", "pass"],
    ["fail", "fail"],
  ]);
  expect(definition.arms[0].endpoint?.url).toBe(answers.url);
  expect(text).not.toContain(TOKEN.slice("Bearer ".length));
  expect(answers.asked.map(({ headers }) => headers["authorization"])).toContain(TOKEN);
  await folder.write("served.yaml", asked(`${server.url}/api/health`));
  const own = await run(server.url);
  expect([own.status, await own.text()]).toEqual([422, expect.stringContaining("is this server itself")]);
});

test("a server that was allowed no host asks none, and says which flag it takes", async () => {
  await using answers = serveAnswers(() => Response.json({ answer: "all good" }));
  await using folder = await scenarioFolder({ "served.yaml": asked(answers.url) });
  const env = { ABEVAL_ENDPOINT_TOKEN: TOKEN };
  await using server = await serve(["--scenarios-dir", folder.directory, "--sandbox", "none"], env);
  const refused = await fetch(`${server.url}/api/runs`, jsonPost({ scenario: "served" }));
  expect(refused.status).toBe(422);
  const { error } = (await refused.json()) as { error: { message: string } };
  const flag = `a server asks only hosts that it was started with: --allow-endpoint ${new URL(answers.url).host}`;
  expect(error.message.split("\n")).toEqual([
    `arm "app": its endpoint may not be asked: ${flag}`,
    `check "polite": its endpoint may not be asked: ${flag}`,
  ]);
  expect(answers.asked).toEqual([]);
});
