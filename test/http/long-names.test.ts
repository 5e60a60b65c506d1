import { expect, test } from "bun:test";
import { aService } from "./service.ts";

const LONG = `ollama/${"x".repeat(900_000)}`;

const BODIES: readonly (readonly [path: string, body: object, complaint: string])[] = [
  [
    "/api/runs/async",
    { scenario: "quick", model_override: LONG },
    "model_override: expected at most 256 characters, got ",
  ],
  ["/api/runs", { scenario: "quick", judge_model: LONG }, "judge_model: expected at most 1297 characters, got "],
  ["/api/runs", { scenario: "quick", judge_model: "x".repeat(257) }, "267 characters, a model's name has 256 at most"],
];

test.each(BODIES)("a name longer than any is refused and not repeated: %#", async (path, body, complaint) => {
  await using service = aService();
  const response = await service.post(path, body);
  const text = await response.text();
  expect([response.status, text.length < 400]).toEqual([422, true]);
  expect(text).toContain(complaint);
});
