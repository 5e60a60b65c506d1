import { describe, expect, test } from "bun:test";
import { chmodSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { Credentials } from "../../src/arms/model/credentials.ts";
import { THIS_HOST } from "../../src/arms/sandbox/host.ts";
import { findMemoryGroups } from "../../src/arms/sandbox/memory-group.ts";
import { openSandbox } from "../../src/arms/sandbox/open-sandbox.ts";
import { Sandboxes } from "../../src/arms/sandbox/sandboxes.ts";
import type { DoctorCheck } from "../../src/domain/doctor-report.ts";
import { diagnose } from "../../src/doors/doctor/doctor.ts";
import { attemptEscapes, shell } from "../../src/doors/doctor/environment/sandbox.ts";
import type { Services } from "../../src/doors/doctor/services.ts";
import { systemClock, systemEntropy } from "../../src/runtime/clock.ts";
import { sqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { scenarioFolder } from "../scenario/scenario-folder.ts";
import { temporaryDirectory } from "../temporary.ts";
import { goodScenario, hostWithoutBubblewrap, never, servicesOver } from "./small-scenario.ts";

type Change = Partial<Services> & { environment?: Record<string, string> };

async function lookAt(change: Change = {}, files?: Readonly<Record<string, string>>) {
  await using folder = await scenarioFolder(files ?? { "small.yaml": JSON.stringify(goodScenario()) });
  const report = await diagnose(servicesOver(folder.directory, change), null, never);
  const row = (id: string): Partial<DoctorCheck> => {
    const { status, detail, hint } = report.checks.find((check) => check.id === id) ?? {};
    return { ...(status && { status }), ...(detail !== undefined && { detail }), ...(hint !== undefined && { hint }) };
  };
  return { report, row };
}

test("without a scenario only the environment is looked at", async () => {
  const { report } = await lookAt();
  expect(report.checks.map(({ id, scope, status }) => `${scope} ${id} ${status}`)).toEqual([
    "environment version pass",
    "environment shell pass",
    "environment sandbox warn",
    "environment sandbox.memory skip",
    "environment sandbox.network skip",
    "environment sandbox.toolchains pass",
    "environment scenarios.directory pass",
    "environment scenarios.files pass",
    "environment credentials warn",
    "environment credentials.judge warn",
    "environment state.directory skip",
    "environment state.database skip",
    expect.stringMatching(/^environment disk (pass|warn)$/),
    "environment web.index skip",
    "environment listen skip",
  ]);
  expect(report).toMatchObject({ ok: true, scenario: null, estimate: null });
});

test("a missing shell is a fail", async () => {
  expect(await shell("/nonexistent/sh").run({}, never)).toEqual({
    status: "fail",
    detail: "/nonexistent/sh does not run",
    hint: "install a POSIX shell",
  });
});

describe("sandbox", () => {
  testNeeding(SANDBOX)("what bubblewrap blocks is tried and told in words", async () => {
    const { row } = await lookAt({ sandbox: "auto" });
    expect(row("sandbox")).toEqual({
      status: "pass",
      detail: expect.stringMatching(/^bubblewrap \d+\.\d+\.\d+; tried here: a command can neither read nor write/),
      hint: null,
    });
  });

  test("escapes that succeed are named: without a sandbox the first three always do", async () => {
    const open = await attemptEscapes(openSandbox("none", THIS_HOST), never);
    expect(open.slice(0, 3)).toEqual([
      "read this user's files",
      "write this user's files",
      "read the environment that this process was started with",
    ]);
  });

  testNeeding(SANDBOX)(
    "a process inside that has the number of this one, as in a container, is not taken for it",
    async () => {
      for (const pid of [1, 2, 3, 4, 5, 6, 7, 8])
        expect(await attemptEscapes(openSandbox("bubblewrap", THIS_HOST), never, pid)).toEqual([]);
    },
  );

  test("without bubblewrap the reason and the remedy are shown", async () => {
    using without = hostWithoutBubblewrap();
    const { row, report } = await lookAt({ sandbox: "auto", sandboxes: without.sandboxes });
    expect(row("sandbox")).toEqual({
      status: "warn",
      detail:
        "none: bubblewrap (bwrap) is not installed; runs with a model are refused, scripted arms run without a sandbox",
      hint: expect.stringContaining("apt install bubblewrap"),
    });
    expect(report.ok).toBe(true);
  });
});

test("the check of memory says whether the kernel limits it", async () => {
  const { row } = await lookAt({ sandbox: "auto" });
  const groups = findMemoryGroups();
  expect(row("sandbox.memory")).toMatchObject({
    status: "pass",
    detail: expect.stringMatching(
      groups === null ? /^resident memory is measured/ : /^cgroup v[12]: the kernel limits it/,
    ),
  });
});

describe("open network", () => {
  testNeeding(SANDBOX)("without a helper it is refused to models, with what to install", async () => {
    using tools = temporaryDirectory();
    chmodSync(tools.path, 0o755);
    symlinkSync(Bun.which("bwrap") ?? "", join(tools.path, "bwrap"));
    const sandboxes = new Sandboxes({ ...THIS_HOST, path: tools.path, admin_path: tools.path });
    const { row } = await lookAt({ sandbox: "auto", sandboxes });
    expect(row("sandbox.network")).toMatchObject({
      status: "warn",
      detail: expect.stringContaining("arms of a model with `network: open` are refused"),
      hint: expect.stringContaining("install slirp4netns"),
    });
  });

  test("the network of this machine is a warning when it was accepted", async () => {
    const { row } = await lookAt({
      sandbox: "auto",
      sandboxes: new Sandboxes({ ...THIS_HOST, accept_host_network: true }),
    });
    expect(row("sandbox.network")).toMatchObject({
      status: "warn",
      detail: expect.stringMatching(/^--accept-host-network: .* this machine's own servers$/),
    });
  });
});

test("the programs that commands find and those that they do not find are named", async () => {
  using without = hostWithoutBubblewrap();
  const { row } = await lookAt({ sandbox: "none", sandboxes: without.sandboxes });
  expect(row("sandbox.toolchains")).toMatchObject({
    status: "pass",
    detail: expect.stringMatching(/^bun; not found: node, npm, python3, .*, git$/),
  });
});

describe("scenarios directory", () => {
  test("one that cannot be read is a fail", async () => {
    const report = await diagnose(servicesOver("/nonexistent/scenarios"), null, never);
    expect(report.ok).toBe(false);
    expect(report.checks.filter(({ id }) => id.startsWith("scenarios."))).toMatchObject([
      { id: "scenarios.directory", status: "fail", detail: "the scenarios directory scenarios does not exist" },
      { id: "scenarios.files", status: "skip", detail: 'needs "Scenarios directory", which failed' },
    ]);
  });

  test("a broken file is a warning that names the place", async () => {
    const { row } = await lookAt({}, { "small.yaml": JSON.stringify(goodScenario()), "broken.yaml": "name: other\n" });
    expect(row("scenarios.directory")).toEqual({ status: "pass", detail: "2 scenarios", hint: null });
    expect(row("scenarios.files")).toMatchObject({ status: "warn", detail: expect.stringContaining("broken.yaml:1:") });
  });

  test("an empty one is a warning", async () => {
    const { row } = await lookAt({}, { "README.md": "Nothing yet.\n" });
    expect(row("scenarios.directory")).toMatchObject({ status: "warn", detail: "it holds no scenario file" });
  });
});

describe("credentials", () => {
  test("are listed as present or absent, and never shown", async () => {
    const key = "sk-ant-0123456789abcdef";
    const { report, row } = await lookAt({
      environment: { ANTHROPIC_API_KEY: key, HOUSE_BASE_URL: "http://10.0.0.1/v1" },
    });
    expect(row("credentials")).toEqual({
      status: "pass",
      detail:
        "present: anthropic, ollama (needs no key), house (own address); absent: openai, openrouter, groq, mistral, deepseek, xai, google",
      hint: null,
    });
    expect(row("credentials.judge")).toMatchObject({ status: "pass" });
    expect(JSON.stringify(report)).not.toContain(key);
  });

  test("show extra headers by name and warn of invalid ones", async () => {
    const house = { HOUSE_BASE_URL: "http://10.0.0.1/v1", HOUSE_HEADERS: "x-route: crew-7\nx-key: 0123456789" };
    const good = await lookAt({ environment: house });
    expect(good.row("credentials").detail).toContain("house (own address, headers x-route x-key)");
    const bad = await lookAt({ environment: { ...house, HOUSE_HEADERS: "x-route: crew-7\nhost: 0123456789" } });
    expect(bad.row("credentials")).toMatchObject({
      status: "warn",
      detail: expect.stringContaining("; HOUSE_HEADERS: host belongs to the request itself and cannot be set"),
    });
    for (const { report } of [good, bad]) expect(JSON.stringify(report)).not.toMatch(/crew-7|0123456789/);
  });

  test("are a warning when there are none, and so is a default judge without its key", async () => {
    const { report, row } = await lookAt({ environment: { OPENAI_API_KEY: "" } });
    expect(row("credentials")).toMatchObject({ status: "warn" });
    expect(row("credentials.judge")).toMatchObject({
      status: "warn",
      detail: expect.stringContaining("set ANTHROPIC_API_KEY"),
    });
    expect(report.ok).toBe(true);
  });

  test("a judge from the environment takes the default's place", async () => {
    const { row } = await lookAt({ judge_model: "builtin/evidence" });
    expect(row("credentials.judge")).toEqual({
      status: "pass",
      detail: "builtin/evidence, which asks no model",
      hint: null,
    });
  });

  test("are taken out of whatever is reported", async () => {
    const credentials = new Credentials({ OPENAI_API_KEY: "key-that-got-lost-0123" });
    const { row } = await lookAt({ redact: credentials.redactSecrets, listen_host: "key-that-got-lost-0123" });
    expect(row("listen")).toMatchObject({ detail: expect.stringMatching(/^\[redacted\]: anyone who can reach it/) });
  });
});

describe("state directory", () => {
  test("a good one is writable, its database opens, and nothing stays behind", async () => {
    using dir = temporaryDirectory();
    using store = sqliteStore(dir.path, systemClock, systemEntropy);
    const files = () => [...new Bun.Glob("**").scanSync({ cwd: dir.path, dot: true })].sort();
    const before = files();
    const { row } = await lookAt({ state_dir: dir.path, store });
    expect(row("state.directory")).toMatchObject({ status: "pass" });
    expect(row("state.database")).toEqual({ status: "pass", detail: "opens, and its schema is current", hint: null });
    expect(files()).toEqual(before);
  });

  test("one that cannot be written to is a fail", async () => {
    using dir = temporaryDirectory();
    const file = `${dir.path}/file`;
    await Bun.write(file, "");
    const { report, row } = await lookAt({ state_dir: file });
    expect(row("state.directory")).toMatchObject({ status: "fail", detail: "no file can be written in it (ENOTDIR)" });
    expect(row("state.database")).toMatchObject({ status: "skip" });
    expect(report.ok).toBe(false);
  });

  test("a database that was removed under the program is a fail", async () => {
    using dir = temporaryDirectory();
    const { row } = await lookAt({ state_dir: dir.path });
    expect(row("state.database")).toMatchObject({
      status: "fail",
      detail: expect.stringContaining("sessions.db is gone"),
    });
  });

  test("a database that no longer answers is a fail, which names no host directory", async () => {
    using dir = temporaryDirectory();
    const store = sqliteStore(dir.path, systemClock, systemEntropy);
    store[Symbol.dispose]();
    const { report, row } = await lookAt({ state_dir: dir.path, store });
    expect(row("state.database")).toMatchObject({ status: "fail" });
    expect(JSON.stringify(report)).not.toContain(dir.path);
  });
});

test.each([
  ["a directory with an index", { "index.html": "<!doctype html>" }, "pass"],
  ["a directory without one", { "main.js": "" }, "warn"],
])("a web directory: %s", async (_, files, status) => {
  await using web = await scenarioFolder(files as Record<string, string>);
  const { row } = await lookAt({ web_dir: web.directory });
  expect(row("web.index")).toMatchObject({ status });
});

test.each([
  ["127.0.0.1", "pass"],
  ["127.8.9.1", "pass"],
  ["localhost", "pass"],
  ["[::1]", "pass"],
  ["0.0.0.0", "warn"],
  ["::", "warn"],
  ["127.example.com", "warn"],
])("listening on %s is a %s", async (listen_host, status) => {
  const { row, report } = await lookAt({ listen_host });
  expect(row("listen")).toMatchObject({ status });
  expect(report.ok).toBe(true);
});
