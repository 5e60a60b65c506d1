import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { LATEST_PROTOCOL_VERSION, SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/sdk/types.js";
import { PROTOCOL_VERSIONS } from "../../../src/arms/tool/mcp/connection.ts";
import type { McpServer } from "../../../src/domain/arm.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { SANDBOX } from "../../machine.ts";
import { describeNeeding } from "../../needs.ts";
import { never, processesWith, shell } from "../../workspace/harness.ts";
import { fakeInstalls, fakeServer } from "./fake-install.ts";
import { offered } from "./offered.ts";

test("the versions of the protocol are those of the SDK", () => {
  expect([...PROTOCOL_VERSIONS]).toEqual(SUPPORTED_PROTOCOL_VERSIONS);
  expect(PROTOCOL_VERSIONS[0]).toBe(LATEST_PROTOCOL_VERSION);
});

const installs = fakeInstalls();
afterAll(() => installs[Symbol.dispose]());

const FAKE_TOOLS = 14;

const refusal = async (...servers: readonly McpServer[]): Promise<string> => {
  try {
    await using _offer = await offered(installs.path, servers);
    return "none";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

describeNeeding(SANDBOX)("the tools of MCP servers", () => {
  test("are offered in the order of servers and of each list, all pages of it, under names of their own", async () => {
    const few = fakeServer("b", { tools: ["write", "echo"] });
    await using offer = await offered(installs.path, [few, fakeServer("a-1")]);
    expect(offer.names.slice(0, 3)).toEqual(["b__echo", "b__write", "a-1__echo"]);
    expect(offer.names).toHaveLength(2 + FAKE_TOOLS);
  });

  test("work in the arm's own files, in its sandbox and without a variable of ours", async () => {
    await using offer = await offered(installs.path, [fakeServer()]);
    expect(await offer.call("fake__write", { path: "b.txt", text: "two\n" })).toMatchObject({
      ...{ text: "wrote b.txt", ok: true, exit_code: null },
    });
    expect(await offer.workspace.readText("b.txt")).toBe("two\n");
    expect((await offer.call("fake__place")).text).toBe("/workspace");
    const { text } = await offer.call("fake__environment");
    const allowed = [
      "CI",
      "HOME",
      "LANG",
      "OLDPWD",
      "PATH",
      "PWD",
      "SHLVL",
      "TERM",
      "TMPDIR",
      "USER",
      "_",
      "BUN_BE_BUN",
    ];
    expect(text.split(" ").filter((name) => !allowed.includes(name))).toEqual([]);
  });

  test("give texts, notes for what is no text, the structure where there is no text, and cut what is long", async () => {
    await using offer = await offered(installs.path, [fakeServer()]);
    expect((await offer.call("fake__picture")).text).toBe(
      "a picture\n[image, 12 kB]\n[file, 1 kB]\n[link to file:///b]",
    );
    expect((await offer.call("fake__structure")).text).toBe('{"sum":3}');
    const big = await offer.call("fake__big", { bytes: 5_000_000 });
    expect({ ...big, text: "" }).toEqual({ text: "", ok: true, exit_code: null, bytes: 5_000_000 });
    expect(big.text).toContain("characters left out");
    expect(big.text.length).toBeLessThan(2_200);
    expect((await offer.call("fake__echo", { text: "y".repeat(5_000_000) })).bytes).toBe(5_000_000);
  });

  test("tell of what went wrong in a result, and go on", async () => {
    await using offer = await offered(installs.path, [fakeServer()]);
    expect(await offer.call("fake__refuse")).toMatchObject({ ok: false, text: "that cannot be" });
    expect(await offer.call("fake__nonsense")).toMatchObject({
      ok: false,
      text: "[the answer of the server is no result of a tool]",
    });
    expect(await offer.call("fake__echo", { text: "still here" })).toMatchObject({ ok: true, text: "still here" });
  });

  test("are given up when they take too long, and the next call is answered", async () => {
    await using offer = await offered(installs.path, [fakeServer("fake", { timeout_s: 0.3 })]);
    expect(await offer.call("fake__silent")).toMatchObject({ ok: false, text: "[timed out after 0.3 s]" });
    expect(await offer.inTime("fake__echo", { text: "still here" })).toMatchObject({ ok: true, text: "still here" });
  });

  test("come back once when the server dies, and no more after that", async () => {
    await using offer = await offered(installs.path, [fakeServer()]);
    const died = "[the server of this tool ended: exit code 7; ";
    expect((await offer.call("fake__die")).text).toBe(`${died}it is started again for the next call]`);
    expect((await offer.call("fake__echo", { text: "back" })).text).toBe("back");
    expect((await offer.call("fake__die")).text).toBe(`${died}it is not started again]`);
    expect(await offer.call("fake__echo", { text: "gone" })).toMatchObject({
      ok: false,
      text: "[the server of this tool has ended for good]",
    });
  });

  test("tell the model why their server does not start again, and the log in our words alone", async () => {
    using own = fakeInstalls();
    await using offer = await offered(own.path, [fakeServer()]);
    await offer.call("fake__die");
    writeFileSync(join(own.path, "fake/fake-server.mjs"), 'console.error("beta wins"); process.exit(3);');
    const { text, fault } = await offer.call("fake__echo", { text: "back" });
    expect(text).toBe(
      "[the server of this tool ended: it does not start: it ended (exit code 3); it said: beta wins; it is not started again]",
    );
    expect(fault).toBe("MCP server fake ended (it did not start again) and is not started again");
  });

  test("end with the arm's signal in the middle of a call", async () => {
    await using offer = await offered(installs.path, [fakeServer()]);
    const stop = new AbortController();
    const call = offer.call("fake__silent", {}, stop.signal);
    stop.abort(new Error("time is up"));
    expect(await call.catch((error) => error.message)).toBe("time is up");
  });

  test("stay those of the start when the server changes its list, which is told once; the server is told nothing", async () => {
    await using offer = await offered(installs.path, [fakeServer()]);
    expect((await offer.call("fake__change")).text).toBe("changed");
    expect((await offer.call("fake__ask")).text).toBe("asked");
    await offer.call("fake__echo", { text: "x" });
    expect(offer.notices).toEqual(["MCP server fake has changed its list of tools; the arm keeps those of its start"]);
  });

  test("leave no process behind", async () => {
    const mark = `/opt/mcp/mark-${process.pid}-${systemClock.ticks().toString(36).replace(".", "")}`;
    const name = mark.slice("/opt/mcp/".length);
    const offer = await offered(installs.path, [fakeServer(name)]);
    await offer.call(`${name}__keep_writing`, { path: "counter" });
    expect(processesWith(mark)).not.toEqual([]);
    await offer[Symbol.asyncDispose]();
    expect(processesWith(mark)).toEqual([]);
  });

  test("stand still while the host reads, also what has left their process group", async () => {
    await using offer = await offered(installs.path, [fakeServer()]);
    const { workspace } = offer;
    await offer.call("fake__keep_writing", { path: "counter" });
    const counted = async () =>
      Number(
        (await workspace.exec(shell("until test -s counter; do :; done; cat counter"), never)).output.split("\n")[0],
      );
    const before = await counted();
    expect(await workspace.altered(["counter"])).toEqual(["counter"]);
    // A command runs beside the server: it goes on counting after each look of the host.
    const after = `until [ "$(cat counter)" -gt ${before + 50} ] 2>/dev/null; do :; done`;
    expect((await workspace.exec(shell(after), never)).ended).toBe("exit");
  });

  test("are refused, in words, when they cannot be used", async () => {
    expect(await refusal(fakeServer("s", {}, ["dead"]))).toBe(
      "MCP server s does not start: it ended (exit code 3); it said: no such database",
    );
    expect(await refusal(fakeServer("s", { command: ["no-such-program"] }))).toMatch(
      /^MCP server s does not start: it ended \(exit code 127\)/,
    );
    expect(await refusal(fakeServer("s", { tools: ["ecko"] }))).toMatch(
      /^MCP server s has no tool "ecko"; did you mean "?echo"?\?; it has echo, write, /,
    );
    expect(await refusal(fakeServer("s", {}, ["many"]))).toBe(
      "the arm's MCP servers have 314 tools, at most 128 are taken; name those that are needed in `tools` of the server",
    );
    expect(await refusal(fakeServer("s", {}, ["wordy"]))).toMatch(
      /are described in \d+ bytes, at most 256000 are taken/,
    );
    expect(await refusal(fakeServer("s", {}, ["clash"]))).toBe(
      "two tools of the arm's MCP servers are called s__do_it; leave one out by `tools`",
    );
    expect(await refusal(fakeServer("s", {}, ["endless"]))).toBe(
      "MCP server s lists more tools than can be read (1000)",
    );
  });

  test("of a long list count only when they are asked for, and long names stay apart", async () => {
    await using few = await offered(installs.path, [fakeServer("s", { tools: ["tool_7"] }, ["many"])]);
    expect(few.names).toEqual(["s__tool_7"]);
    await using long = await offered(installs.path, [fakeServer("s", {}, ["long"])]);
    const [one = "", two = ""] = long.names.slice(-2);
    expect([one.length, two.length, one.slice(0, 57)]).toEqual([64, 64, two.slice(0, 57)]);
    expect(one).not.toBe(two);
  });
});
