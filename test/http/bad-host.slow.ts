import { describe, expect, test } from "bun:test";
import { allowedHosts, isHost } from "../../src/doors/http/allowed-callers.ts";
import { createHealthApp } from "../../src/doors/http/app.ts";
import { listen } from "../../src/doors/http/listen.ts";
import { abeval } from "../abeval.ts";
import { rawRequest } from "./raw-request.ts";
import { serve } from "./served.ts";
import { aService } from "./service.ts";

const BAD = [
  ["a space", "GET /api/health?a=1 HTTP/1.1\r\nHost: a b\r\n"],
  ["two ports", "GET /api/health?a=1 HTTP/1.1\r\nHost: x:99:99\r\n"],
  ["a path", "GET /api/health?a=1 HTTP/1.1\r\nHost: localhost/evil\r\n"],
  ["nothing", "GET /api/health?a=1 HTTP/1.1\r\nHost:\r\n"],
  ["two names", "GET /api/health?a=1 HTTP/1.1\r\nHost: a\r\nHost: b\r\n"],
  ["no such header", "GET /api/health?a=1 HTTP/1.0\r\n"],
] as const;

describe.each(BAD)("a Host of %s", (_what, head) => {
  test.each([
    ["open", allowedHosts([], "127.0.0.1")],
    ["closed", allowedHosts(["abeval.test"], "127.0.0.1")],
  ])("is a 400 in our shape with a line in the log, the gate being %s", async (_gate, hosts) => {
    const lines: unknown[] = [];
    const log = ({ method, path, status }: { method: string; path: string; status: number }) =>
      void lines.push({ method, path, status });
    await using service = aService({ app: { hosts, log } });
    const answer = await rawRequest(service.listen().url, `${head}Connection: close\r\n\r\n`);
    const [headers = "", body = ""] = answer.split("\r\n\r\n");
    expect(headers).toMatch(/^HTTP\/1\.1 400 /);
    expect(headers.toLowerCase()).toContain("access-control-allow-origin: *");
    expect(JSON.parse(body)).toEqual({
      error: { code: "invalid_request", message: "the Host header is missing or is not a host" },
    });
    expect(lines.at(-1)).toEqual({ method: "GET", path: "/api/health", status: 400 });
  });
});

test.each(BAD)("a Host of %s is a 400 in our shape of a worker, too", async (_what, head) => {
  await using service = aService();
  const listening = listen(createHealthApp(service.services, {}), { hostname: "127.0.0.1", port: 0 });
  const asked = (path: string) =>
    rawRequest(listening.url, `${head.replace("/api/health", path)}Connection: close\r\n\r\n`);
  for (const path of ["/api/health", "/nothing"]) {
    const answer = await asked(path);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(answer.split("\r\n\r\n")[1] ?? "")).toMatchObject({ error: { code: "invalid_request" } });
  }
  await listening.close();
});

test("a server that was asked for a bad Host still stops with status 0", async () => {
  await using served = await serve();
  await rawRequest(served.url, `${BAD[0][1]}Connection: close\r\n\r\n`);
  expect((await served.stop()).status).toBe(0);
});

test("every address is checked, also one that begins like the last good one", async () => {
  await using service = aService();
  const { url } = service.listen();
  const asked = (host: string) =>
    rawRequest(url, `GET /api/health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  expect(await asked("a")).toMatch(/^HTTP\/1\.1 200 /);
  expect(await asked("a:99999")).toMatch(/^HTTP\/1\.1 400 /);
  expect(await asked("a")).toMatch(/^HTTP\/1\.1 200 /);
});

test("a preflight to a host that is not allowed is refused", async () => {
  await using service = aService({ app: { hosts: allowedHosts(["abeval.test"], "127.0.0.1") } });
  const preflight = { method: "OPTIONS", headers: { host: "evil.example", origin: "https://evil.example" } };
  expect((await service.fetch("/api/runs", preflight)).status).toBe(403);
});

test("a Host as short as a container's name reaches every route, where no host is named", async () => {
  await using service = aService({ app: { hosts: allowedHosts([], "127.0.0.1") } });
  const head = "GET /api/scenarios HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
  expect(await rawRequest(service.listen().url, head)).toMatch(/^HTTP\/1\.1 200 /);
});

const NO_HOSTS: readonly (readonly [given: string, meant: string | null])[] = [
  ["https://a.example", "a.example"],
  ["https://a.example:8443/x", "a.example"],
  ["b.example:80", "b.example"],
  ["b.example/path", "b.example"],
  ["::1", "[::1]"],
  ["[0:0::1]", "[::1]"],
  ["b\u00fccher.example", "xn--bcher-kva.example"],
  ["a.example, b.example", null],
  ["*.example.com", null],
  ["https://*", null],
  ["*", null],
];

test.each(NO_HOSTS)("%s, which no request could match, is refused at the start", async (given, meant) => {
  const { status, stderr } = await abeval(["serve", "--allowed-host", "a.example", "--allowed-host", given]);
  const hint = meant === null ? "" : `; did you mean ${meant}?`;
  expect(status).toBe(2);
  expect(stderr).toStartWith(
    `abeval: --allowed-host: expected a whole host name such as eval.example.com, without scheme or port, got "${given}"${hint}\n`,
  );
});

test.each(["eval.example.com", "EVAL.Example.com", "localhost", "db_1", "10.0.0.7", "[fd00::7]", "a.example."])(
  "%s is a host, and a request for it is let in",
  (name) => {
    const request = new Request("http://127.0.0.1:8080/", { headers: { host: `${name.toLowerCase()}:8080` } });
    expect(isHost(name)).toBe(true);
    expect(() => allowedHosts([name], "127.0.0.1")(request)).not.toThrow();
  },
);
