import { expect, test } from "bun:test";
import { aService } from "./service.ts";

test("the page may load from this server alone, run no other script, and be framed by nobody", async () => {
  await using service = aService();
  const response = await service.get("/api/docs");
  expect(response.headers.get("content-type")).toStartWith("text/html");
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  const policy = response.headers.get("content-security-policy") ?? "";
  expect(policy).toStartWith("default-src 'none'; script-src 'self' 'sha256-");
  expect(policy).toEndWith("frame-ancestors 'none'");
  expect(policy).not.toMatch(/unsafe-eval|https?:|\*/);
  expect(await response.text()).not.toMatch(/https?:\/\//);
});

test("its script leaves as it is kept, compressed", async () => {
  await using service = aService();
  const response = await service.get("/api/docs/scalar.js");
  expect(response.headers.get("content-encoding")).toBe("gzip");
  const script = new TextDecoder().decode(Bun.gunzipSync(await response.bytes()));
  expect(script).toContain("@scalar/api-reference@1.72.1");
});
