import { expect, test } from "bun:test";
import { aService } from "./service.ts";

test.each([
  ["/api/runs", { scenario: "nobody" }],
  ["/api/verdicts", { arm_a: pointer("left"), arm_b: pointer("right") }],
] as const)("the limit on silence holds until the body is read, and again for the answer: %s", async (path, asked) => {
  await using service = aService();
  const seen: string[] = [];
  service.app.server = { timeout: (_: Request, seconds: number) => void seen.push(`${seconds} s`) } as never; // all that is asked of it
  const text = JSON.stringify(asked);
  const parts = [text.slice(0, 12), text.slice(12)];
  const body = bodyOf(parts, (part) => void seen.push(part));
  const response = await service.fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body });
  service.app.server = null;
  expect(response.status).toBe(404);
  expect(seen).toEqual([...parts, "0 s", "30 s"]);
});

function pointer(arm_id: string) {
  return { session_id: "session-quick-20260102T030405678Z", arm_id };
}

/** Each part is sent when the one before it was taken. */
function bodyOf(parts: readonly string[], sent: (part: string) => void): ReadableStream<Uint8Array> {
  const left = [...parts];
  return new ReadableStream(
    {
      pull(controller) {
        const part = left.shift();
        if (part === undefined) return controller.close();
        sent(part);
        controller.enqueue(new TextEncoder().encode(part));
      },
    },
    { highWaterMark: 0 },
  );
}
