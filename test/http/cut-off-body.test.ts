import { expect, test } from "bun:test";
import { aService } from "./service.ts";

test.each([["announced", { "content-length": "400" }] as const, ["in chunks", {}] as const])(
  "a body that is cut off, %s, is the client's fault and nothing in the log",
  async (_how, announced) => {
    await using service = aService();
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"scenario":'));
        controller.error(new DOMException("The connection was closed.", "AbortError"));
      },
    });
    const headers = { "content-type": "application/json", ...announced };
    const response = await service.app.handle(
      new Request("http://localhost/api/runs", { method: "POST", headers, body }),
    );
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { message: "the body ended too early" } });
    expect(service.notices).toEqual([]);
  },
);
