import { expect, test } from "bun:test";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { abeval } from "../abeval.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { OPENSSL } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { selfSigned } from "../self-signed.ts";
import { temporaryDirectory } from "../temporary.ts";
import { writeSmallScenario } from "./small-scenario.ts";

const NOBODY = "http://127.0.0.1:1";

/** One run with two calls to the provider `gateway`, whose address is in the environment. */
async function runThroughGateway(env: Readonly<Record<string, string>>): Promise<number> {
  using directory = temporaryDirectory();
  const { status } = await abeval(["run", writeSmallScenario(directory.path), "--model", "gateway/model"], { env });
  return status;
}

test.each(["HTTP_PROXY", "http_proxy"])("%s takes the calls to an http address", async (variable) => {
  await using proxy = await startFakeProvider();
  const env = { GATEWAY_BASE_URL: "http://llm.internal/v1", [variable]: proxy.url };
  expect(await runThroughGateway(env)).toBe(0);
  expect(proxy.requests.map(({ headers }) => headers["host"])).toEqual(["llm.internal", "llm.internal"]);
});

test("a name and password in the proxy's address go to the proxy", async () => {
  await using proxy = await startFakeProvider();
  const HTTP_PROXY = proxy.url.replace("://", "://runner:secret@");
  expect(await runThroughGateway({ GATEWAY_BASE_URL: "http://llm.internal/v1", HTTP_PROXY })).toBe(0);
  const credentials = `Basic ${btoa("runner:secret")}`;
  expect(proxy.requests.map(({ headers }) => headers["proxy-authorization"])).toEqual([credentials, credentials]);
});

test.each(["NO_PROXY", "no_proxy"])("hosts in %s are called directly", async (variable) => {
  await using provider = await startFakeProvider();
  const env = { ...provider.environment, HTTP_PROXY: NOBODY, [variable]: "localhost,127.0.0.1" };
  expect(await runThroughGateway(env)).toBe(0);
  expect(provider.requests.length).toBe(2);
});

testNeeding(OPENSSL)(
  "HTTPS_PROXY tunnels the calls to an https address; its private authority is trusted by NODE_EXTRA_CA_CERTS",
  async () => {
    using directory = temporaryDirectory();
    await using provider = await startFakeProvider();
    const { key, cert } = selfSigned("llm.internal", directory.path);
    const gateway = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (socket) =>
      socket.pipe(connect(Number(new URL(provider.url).port), "127.0.0.1")).pipe(socket),
    );
    const asked: (string | undefined)[] = [];
    const proxy = createServer().on("connect", ({ url }, client) => {
      asked.push(url);
      const upstream = connect(port(gateway), "127.0.0.1", () =>
        client.write("HTTP/1.1 200 Connection Established\r\n\r\n"),
      );
      client.pipe(upstream).pipe(client);
    });
    await Promise.all([gateway, proxy].map((server) => once(server.listen(0, "127.0.0.1"), "listening")));
    const env = {
      GATEWAY_BASE_URL: "https://llm.internal/v1",
      HTTPS_PROXY: `http://127.0.0.1:${port(proxy)}`,
      NODE_EXTRA_CA_CERTS: cert,
    };
    expect(await runThroughGateway(env)).toBe(0);
    expect(new Set(asked)).toEqual(new Set(["llm.internal:443"]));
    expect(provider.requests.length).toBe(2);
    proxy.close();
    gateway.close();
  },
);

// The address of a server on TCP is an object.
const port = (server: { address(): unknown }) => (server.address() as AddressInfo).port;
