import { expect, test } from "bun:test";
import { EventStreams } from "../../src/http/event-stream.ts";
import { runEndpoints } from "../../src/http/run-endpoints.ts";
import { aService } from "./service.ts";

const NEVER = new AbortController().signal;

test.each(["blocking", "verdicts"] as const)("the idle limit holds until the body is read: %s", async (name) => {
  await using service = aService();
  const seen: string[] = [];
  const body = bodyOf([`{"scenario":`, `"nobody"}`], (part) => void seen.push(part));
  const context = { streams: new EventStreams(), stopping: NEVER, abandoned: NEVER, document: () => "" };
  const endpoint = runEndpoints({ services: service.services, ...context })[name];
  const request = new Request("http://localhost/", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  const answer = endpoint.answer({ request, params: {}, idleTimeout: (seconds) => void seen.push(`${seconds} s`) });
  await expect(answer).rejects.toMatchObject({ name: "Failure" });
  // A body that does not fit is refused without a wait.
  expect(seen).toEqual(['{"scenario":', '"nobody"}', ...(name === "blocking" ? ["0 s", "30 s"] : [])]);
});

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
