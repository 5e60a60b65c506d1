import { describe, expect, test } from "bun:test";
import { ErrorCode, type McpError } from "@modelcontextprotocol/sdk/types.js";
import { Failure } from "../../src/domain/failure.ts";
import type { Services } from "../../src/doors/operation/operation.ts";
import { anOutcome } from "../outcomes.ts";
import { begin } from "../stored.ts";
import { type Linked, linked } from "./linked.ts";

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

/** What stood on the wire: the SDK's client puts the code before the message. */
const sent = (error: unknown) => {
  const { code, message } = error as McpError; // what the client rejects with
  return { code, message: message.replace(`MCP error ${code}: `, "") };
};

const NO_ADDRESS =
  "there is no resource at this address; expected abeval://scenarios/{name} or abeval://sessions/{session_id}";

test.each([
  ["abeval://scenarios/nobody", 'unknown_scenario: there is no scenario "nobody"; list_scenarios shows the names'],
  ["abeval://sessions/nobody", 'unknown_session: there is no session "nobody"; list_sessions shows the ids'],
  ["abeval://scenarios/%", NO_ADDRESS],
  ["abeval://scenarios/..%2F..%2Fetc%2Fpasswd", expect.stringMatching(/there is no scenario/)],
  ["file:///etc/passwd", NO_ADDRESS],
])("%s is not there", async (uri, message) => {
  await using server = await linked();
  const error = await server.client.readResource({ uri }).catch((thrown: unknown) => thrown);
  expect(sent(error)).toEqual({ code: -32002, message });
});

test("a cursor that was never given is refused", async () => {
  await using server = await linked();
  const error = await server.client.listResources({ cursor: "nonsense" }).catch((thrown: unknown) => thrown);
  expect(sent(error)).toEqual({ code: -32602, message: "unknown cursor; start again without one" });
});

describe("a fault behind the resources", () => {
  const KEY = "sk-secret-of-a-provider";
  const faulty = (error: Error) => {
    const catalog = { list: () => Promise.reject(error), get: () => Promise.reject(error) };
    return linked({
      catalog: catalog as unknown as Services["catalog"],
      redact: (text) => text.replaceAll(KEY, "[redacted]"),
    });
  };
  const ASKED = [
    ["listed", (client: Linked["client"]) => client.listResources()],
    ["read", (client: Linked["client"]) => client.readResource({ uri: "abeval://scenarios/quick" })],
  ] as const;

  test.each(ASKED)("that has words for the client tells no key when they are %s", async (_what, ask) => {
    await using server = await faulty(new Failure("storage_failed", `the directory ${KEY} cannot be read`));
    const { code, message } = await ask(server.client).catch((error: McpError) => error);
    expect(code).toBe(ErrorCode.InternalError);
    expect(message).toEndWith("storage_failed: the directory [redacted] cannot be read");
  });

  test.each(ASKED)("that is ours stands in the log alone, without the key, when they are %s", async (_what, ask) => {
    await using server = await faulty(new TypeError(`cannot read ${KEY} of undefined`));
    const { message } = await ask(server.client).catch((error: McpError) => error);
    expect(message).toEndWith("internal: a fault of this server; its details are in the server's log (stderr)");
    expect(server.notices).toEqual([expect.stringContaining("cannot read [redacted] of undefined")]);
  });
});
