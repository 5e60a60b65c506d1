import { expect, test } from "bun:test";
import { Failure } from "../../src/domain/failure.ts";
import { sha256 } from "../../src/domain/sha256.ts";
import { pngOf } from "../../src/doors/operation/pictures.ts";
import { sessionDrawing } from "../../src/doors/operation/reports.ts";
import { aService } from "../http/service.ts";

const drawing = (n: number) => `<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><title>${n}</title></svg>`;

test("a picture is made by another process, and kept: who asks for it again has the very same", async () => {
  const { signal } = new AbortController();
  const svg = drawing(0);
  const [first, second] = await Promise.all([pngOf(svg, sha256(svg), signal), pngOf(svg, sha256(svg), signal)]);
  expect(Buffer.from(first).subarray(1, 4).toString()).toBe("PNG");
  expect(second).toBe(first);
  expect(await pngOf(svg, sha256(svg), signal)).toBe(first);
});

test("so many pictures may wait, and whoever asks for one more is told to come again", async () => {
  const gone = new AbortController();
  const asked = Array.from({ length: 21 }, (_, n) => pngOf(drawing(n + 1), sha256(drawing(n + 1)), gone.signal));
  const told = Promise.allSettled(asked);
  const last = drawing(99);
  const refusal = await pngOf(last, sha256(last), gone.signal).catch((error) => error);
  expect(refusal).toBeInstanceOf(Failure);
  expect(refusal).toMatchObject({ code: "overloaded", retryable: true });
  expect(refusal.message).toBe("20 pictures wait to be made; ask again in some seconds, or for card.svg");
  gone.abort(new Failure("cancelled", "nobody waits"));
  expect((await told).every(({ status }) => status === "rejected")).toBe(true);
  // Nobody waits any more: there is room again.
  expect((await pngOf(last, sha256(last), new AbortController().signal)).length).toBeGreaterThan(50);
});

test("forty who ask for one drawing at once share one reading of its session", async () => {
  await using service = aService();
  const { session_id } = await (await service.post("/api/runs", { scenario: "quick" })).json();
  let readings = 0;
  const store = new Proxy(service.services.store, {
    get(of, name) {
      readings += Number(name === "read");
      const value: unknown = Reflect.get(of, name);
      return typeof value === "function" ? value.bind(of) : value;
    },
  });
  const services = { ...service.services, store };
  const { signal } = new AbortController();
  const draw = () => sessionDrawing(services, { id: session_id }, signal);
  const drawn = await Promise.all(Array.from({ length: 40 }, draw));
  expect(readings).toBe(1);
  expect(new Set(drawn).size).toBe(1);
});
