import { expect, test } from "bun:test";
import manifest from "../../package.json";
import { abeval } from "../abeval.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { serve } from "../http/served.ts";
import { connectProgram } from "../mcp/client.ts";
import { temporaryDirectory } from "../temporary.ts";
import { writeSmallScenario } from "./small-scenario.ts";

/** Every place in which the program says its version. */
const SOURCES: Readonly<Record<string, () => Promise<readonly unknown[]>>> = {
  "the flag": async () => [(await abeval(["--version"])).stdout.trimEnd()],
  "health and the OpenAPI document": async () => {
    await using served = await serve();
    const json = async (path: string) => (await fetch(`${served.url}${path}`)).json() as Promise<never>; // each is read below
    const [health, document]: [{ version: string }, { info: { version: string } }] = [
      await json("/api/health"),
      await json("/api/openapi.json"),
    ];
    return [health.version, document.info.version];
  },
  "the MCP handshake": async () => {
    await using server = await connectProgram(["mcp"]);
    return [server.client.getServerVersion()?.version];
  },
};

test.each(Object.entries(SOURCES))("the version of package.json is told by %s", async (_, read) => {
  for (const version of await read()) expect(version).toBe(manifest.version);
});

test.each(["anthropic", "openai", "gateway"])("the user agent towards %s has the version", async (provider) => {
  using directory = temporaryDirectory();
  await using server = await startFakeProvider();
  const { status, stderr } = await abeval(["run", writeSmallScenario(directory.path), "--model", `${provider}/model`], {
    env: server.environment,
  });
  expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
  const agents = new Set(server.requests.map(({ headers }) => headers["user-agent"]));
  expect([...agents]).toEqual([`abeval/${manifest.version}`]);
});
