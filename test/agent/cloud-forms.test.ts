import { expect, test } from "bun:test";
import { cloudHint, strayWords } from "../../src/arms/agent/cloud-forms.ts";

test.each([
  ["POST /anthropic/model/anthropic.claude-v2/invoke-with-response-stream", "Amazon Bedrock"],
  ["POST /v1/projects/p/locations/l/publishers/anthropic/models/claude:streamRawPredict", "Google Vertex AI"],
  ["POST /openai/v1/openai/deployments/gpt/chat/completions", "Azure OpenAI"],
])("%s is named, with what to do", (address, cloud) => {
  expect(strayWords(address)).toContain(`does not serve ${cloud}'s form`);
  expect(strayWords(address)).toContain("ANTHROPIC_BASE_URL or OPENAI_BASE_URL");
});

test("another address is one that no provider has", () => {
  expect(strayWords("GET /v1/telemetry")).toBe("the agent asked for GET /v1/telemetry, which no provider has");
});

test("a variable that leads an agent to a cloud is named", () => {
  expect(cloudHint({ LANG: "C", CLAUDE_CODE_USE_BEDROCK: "1" })).toContain("Its variable CLAUDE_CODE_USE_BEDROCK");
  expect(cloudHint({ LANG: "C" })).toBeNull();
});
