import { expect, test } from "bun:test";
import { allowedOrigins } from "../../src/doors/http/allowed-callers.ts";
import { abeval } from "../abeval.ts";
import { aService } from "./service.ts";

const RUN = JSON.stringify({ scenario: "quick" });

const guarded = () => aService({ app: { origins: allowedOrigins(["https://dash.example.com"]) } });

const from = (origin: string | null, forwarded: Readonly<Record<string, string>> = {}) => ({
  method: "POST",
  body: RUN,
  headers: {
    "content-type": "application/json",
    host: "127.0.0.1:8080",
    ...forwarded,
    ...(origin !== null && { origin }),
  },
});

const ORIGINS: readonly (readonly [what: string, origin: string | null, status: number])[] = [
  ["a listed origin", "https://dash.example.com", 200],
  ["no origin", null, 200],
  ["the server's own page", "http://127.0.0.1:8080", 200],
  ["the same name and port with another scheme", "https://127.0.0.1:8080", 403],
  ["another site", "https://evil.example", 403],
  ["another port of this machine", "http://127.0.0.1:9999", 403],
  ["a listed name with another scheme", "http://dash.example.com", 403],
  ["a listed name as a prefix", "https://dash.example.com.evil.example", 403],
  ["a page without an origin of its own", "null", 403],
];

test.each(ORIGINS)("a run from %s", async (_what, origin, status) => {
  await using service = guarded();
  const response = await service.app.handle(new Request("http://127.0.0.1:8080/api/runs", from(origin)));
  expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([status, "*"]);
  if (status === 403) expect(await response.json()).toMatchObject({ error: { code: "forbidden_origin" } });
});

test("behind a proxy that says it speaks https, the server's own page is the one with https", async () => {
  await using service = guarded();
  const status = async (origin: string) => {
    const request = new Request("http://127.0.0.1:8080/api/runs", from(origin, { "x-forwarded-proto": "https" }));
    return (await service.app.handle(request)).status;
  };
  expect(await status("https://127.0.0.1:8080")).toBe(200);
  expect(await status("http://127.0.0.1:8080")).toBe(403);
});

test("other origins may read and send preflights, and may not stop a run", async () => {
  await using service = guarded();
  const evil = { headers: { origin: "https://evil.example" } };
  const status = async (method: string, path: string) =>
    (await service.app.handle(new Request(`http://127.0.0.1:8080${path}`, { method, ...evil }))).status;
  expect(await status("GET", "/api/scenarios")).toBe(200);
  expect(await status("OPTIONS", "/api/runs")).toBe(204);
  expect(await status("DELETE", "/api/runs/session-quick-20260102T030405678Z")).toBe(403);
  expect(await status("POST", "/api/verdicts")).toBe(403);
});

test("without a list every origin may start runs", async () => {
  await using service = aService();
  const response = await service.app.handle(
    new Request("http://127.0.0.1:8080/api/runs", from("https://evil.example")),
  );
  expect(response.status).toBe(200);
});

test("an --allowed-origin that is not an origin is refused at the start, with the nearest origin", async () => {
  const { status, stderr } = await abeval(["serve", "--allowed-origin", "https://dash.example.com/app"]);
  expect(status).toBe(2);
  expect(stderr).toStartWith(
    'abeval: --allowed-origin: expected an origin such as https://dash.example.com, got "https://dash.example.com/app"; did you mean https://dash.example.com?',
  );
  expect((await abeval(["serve", "--allowed-origin", "*"])).status).toBe(2);
});
