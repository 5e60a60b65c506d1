import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PROGRAM, ROOT } from "../abeval.ts";
import { mcpFolder } from "./folder.ts";

const INSPECTOR = fileURLToPath(import.meta.resolve("@modelcontextprotocol/inspector-cli/build/index.js"));

/** What the inspector prints. Its exit status says nothing about a tool's own errors. */
async function inspect(server: readonly string[], ...options: readonly string[]) {
  const child = Bun.spawn([process.execPath, INSPECTOR, ...PROGRAM, ...options, "--", ...server], {
    cwd: ROOT,
    env: { PATH: process.env["PATH"] ?? "", HOME: "/dev/null/home" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  expect({ status: await child.exited, stderr }).toEqual({ status: 0, stderr: "" });
  return JSON.parse(stdout);
}

test("the inspector lists and calls every tool", async () => {
  using folder = mcpFolder();
  rmSync(join(folder.scenarios, "broken.yaml"));
  const { tools } = await inspect(folder.args, "--method", "tools/list");
  const called = new Set<string>();
  const texts = new Map<string, readonly string[]>();
  const call = async (name: string, args: Readonly<Record<string, unknown>> = {}) => {
    const pairs = Object.entries(args).map(
      ([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
    );
    const options = pairs.flatMap((pair) => ["--tool-arg", pair]);
    const result = await inspect(folder.args, "--method", "tools/call", "--tool-name", name, ...options);
    expect(result.isError).toBeUndefined();
    called.add(name);
    texts.set(
      name,
      result.content.map(({ text }: { text: string }) => text),
    );
    return result.structuredContent;
  };
  const [{ session_id }] = await Promise.all([
    call("run_scenario", { scenario: "quick", wait_seconds: 50 }),
    call("list_scenarios"),
    call("get_scenario", { name: "quick", include_hidden: true }),
    call("run_doctor", { scenario: "quick" }),
  ]);
  const [arm_a, arm_b] = ["talks", "does"].map((arm_id) => ({ session_id, arm_id }));
  const [{ verdict }] = await Promise.all([
    call("rejudge", { arm_a, arm_b }),
    call("list_sessions", { limit: 5 }),
    call("get_session", { session_id, detail: "criteria" }),
  ]);
  expect(verdict.winner).toBe("does");
  // What a client has that shows its model no structured data.
  const [, definition = ""] = texts.get("get_scenario") ?? [];
  expect(JSON.parse(definition).hidden.probe.checks).toMatchObject([{ id: "greeted" }]);
  const [, reasons = ""] = texts.get("get_session") ?? [];
  expect(JSON.parse(reasons).facts.b).toMatchObject({ required_checks: "failed" });
  expect([...called].sort()).toEqual(tools.map(({ name }: { name: string }) => name).sort());
}, 60_000);
