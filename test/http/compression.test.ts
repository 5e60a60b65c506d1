import { describe, expect, test } from "bun:test";
import { aService, startRun } from "./service.ts";

const asked = (accepted: string) => ({ headers: { "accept-encoding": accepted } });

/** How a client of each coding reads what it got. */
const READERS: Readonly<Record<string, (bytes: Uint8Array<ArrayBuffer>) => Uint8Array>> = {
  gzip: Bun.gunzipSync,
  zstd: Bun.zstdDecompressSync,
};

describe("large JSON", () => {
  test.each(["gzip", "zstd"])("leaves as %s for a client that takes it", async (coding) => {
    await using service = aService();
    const plain = await (await service.get("/api/openapi.json")).text();
    const response = await service.app.handle(new Request("http://localhost/api/openapi.json", asked(coding)));
    expect(response.headers.get("content-encoding")).toBe(coding);
    expect(response.headers.get("content-type")).toStartWith("application/json");
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    const bytes = await response.bytes();
    expect(bytes.byteLength).toBeLessThan(plain.length / 4);
    expect(new TextDecoder().decode(READERS[coding]?.(bytes))).toBe(plain);
  });

  const CHOICES: readonly (readonly [accepted: string, coding: string | null])[] = [
    ["gzip, deflate, br, zstd", "zstd"],
    ["GZIP;q=0.5", "gzip"],
    ["zstd;q=0, gzip", "gzip"],
    ["gzip;q=0.000", null],
    ["gzipped, br", null],
    ["", null],
  ];
  test.each(CHOICES)('for "%s" it leaves as %s, and a cache keeps each apart', async (accepted, coding) => {
    await using service = aService();
    const response = await service.app.handle(new Request("http://localhost/api/openapi.json", asked(accepted)));
    expect(response.headers.get("content-encoding")).toBe(coding);
    expect(response.headers.get("vary")).toBe("accept-encoding");
  });
});

test("small JSON, errors and streams leave as they are", async () => {
  await using service = aService();
  const id = await startRun(service, "slow");
  for (const path of ["/api/health", "/api/none", `/api/runs/${id}/stream`]) {
    const response = await service.app.handle(new Request(`http://localhost${path}`, asked("gzip, zstd")));
    expect({ path, coding: response.headers.get("content-encoding"), vary: response.headers.get("vary") }).toEqual({
      path,
      coding: null,
      vary: null,
    });
    await response.body?.cancel();
  }
  await service.fetch(`/api/runs/${id}`, { method: "DELETE" });
});
