import { expect, test } from "bun:test";
import { aService } from "./service.ts";

const LONG = `ollama/${"x".repeat(900_000)}`;

const BODIES: readonly (readonly [where: string, path: string, body: object])[] = [
  ["model_override", "/api/runs/async", { scenario: "quick", model_override: LONG }],
  ["judge_model", "/api/runs", { scenario: "quick", judge_model: LONG }],
  ["judge_model", "/api/runs", { scenario: "quick", judge_model: "x".repeat(257) }],
];

test.each(BODIES)("a %s longer than any model name is refused and not repeated", async (field, path, body) => {
  await using service = aService();
  const response = await service.post(path, body);
  const text = await response.text();
  expect([response.status, text.length < 400]).toEqual([422, true]);
  expect(text).toContain(`${field}: expected at most 256 characters, got `);
});
