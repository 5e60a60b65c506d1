import { expect, test } from "bun:test";
import { anOutcome } from "../outcomes.ts";
import { begin } from "../stored.ts";
import { linked } from "./linked.ts";

test("scenarios and sessions are listed, the sessions in pages", async () => {
  await using server = await linked();
  const ids = Array.from({ length: 70 }, (_, n) => `session-sample-20260102T030405${String(n).padStart(3, "0")}Z`);
  for (const id of ids) await begin(server.services.store, anOutcome(id));
  const first = await server.client.listResources();
  expect(first.resources.slice(0, 4).map(({ uri }) => uri)).toEqual([
    "abeval://scenarios/hidden",
    "abeval://scenarios/other",
    "abeval://scenarios/quick",
    "abeval://scenarios/slow",
  ]);
  const second = await server.client.listResources({ cursor: first.nextCursor });
  expect(second.nextCursor).toBeUndefined();
  expect([...first.resources.slice(4), ...second.resources].map(({ name }) => name)).toEqual(ids.toReversed());
  const { resourceTemplates } = await server.client.listResourceTemplates();
  expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
    "abeval://scenarios/{name}",
    "abeval://sessions/{session_id}",
  ]);
});

test("a resource is read as JSON", async () => {
  await using server = await linked();
  const { contents } = await server.client.readResource({ uri: "abeval://scenarios/quick" });
  const [content] = contents;
  expect(content?.mimeType).toBe("application/json");
  expect(JSON.parse(content && "text" in content ? content.text : "").title).toBe("Scenario quick");
});

test.each([
  ["abeval://scenarios/nobody", /there is no scenario "nobody"/],
  ["abeval://sessions/nobody", /there is no session "nobody"/],
  ["abeval://scenarios/%", /there is no resource at this address; expected abeval:\/\/scenarios\/\{name\} or/],
  ["abeval://scenarios/..%2F..%2Fetc%2Fpasswd", /there is no scenario/],
  ["file:///etc/passwd", /there is no resource at this address/],
])("%s is not there", async (uri, message) => {
  await using server = await linked();
  expect(server.client.readResource({ uri })).rejects.toMatchObject({
    code: -32002,
    message: expect.stringMatching(message),
  });
});

test("a cursor that was never given is refused", async () => {
  await using server = await linked();
  expect(server.client.listResources({ cursor: "nonsense" })).rejects.toThrow(/unknown cursor/);
});
