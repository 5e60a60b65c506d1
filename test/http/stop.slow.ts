import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { PROGRAM } from "../abeval.ts";
import { temporaryDirectory } from "../temporary.ts";
import { until } from "../turns.ts";
import { serve } from "./served.ts";
import { jsonPost, slowScenario } from "./service.ts";

/** Flags for a server with a slow scenario and a state directory. */
function aDirectory() {
  const directory = temporaryDirectory();
  const scenarios = join(directory.path, "scenarios");
  mkdirSync(scenarios);
  writeFileSync(join(scenarios, "slow.yaml"), slowScenario("slow", 20_000));
  return {
    flags: ["--scenarios-dir", scenarios, "--state-dir", join(directory.path, "state")],
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

test("a server that is told to stop waits for no body that comes slowly", async () => {
  using directory = aDirectory();
  await using served = await serve(directory.flags);
  const { hostname, port } = new URL(served.url);
  const client = connect(Number(port), hostname).on("error", () => undefined);
  client.write(
    `POST /api/runs/async HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{`,
  );
  await fetch(`${served.url}/api/health`);
  const stopped = served.stop();
  const first = await Promise.race([stopped, Bun.sleep(15_000)]);
  client.destroy();
  expect(first).toEqual({ status: 0 });
}, 60_000);

test("what is asked of a server while it stops is refused, or interrupted and stored, and keeps it no longer", async () => {
  using directory = aDirectory();
  const served = await serve([...directory.flags, "--grace", "0"]);
  await using _served = served;
  // The first one loads what reads scenarios.
  const starting = fetch(`${served.url}/api/runs/async`, jsonPost({ scenario: "slow" })).catch(() => undefined);
  await fetch(`${served.url}/api/health`);
  const stopped = served.stop();
  expect(await Promise.race([stopped, Bun.sleep(12_000)])).toEqual({ status: 0 });
  await starting;
  expect(served.log()).not.toContain("cannot be read");
  const [, id] = / accepted (session-\S+)/.exec(served.log()) ?? [];
  if (id === undefined) return;
  expect(served.log()).toContain(`ended ${id} attempt 1 state interrupted code interrupted`);
  await using again = await serve(directory.flags);
  expect(await (await fetch(`${again.url}/api/sessions/${id}`)).json()).toMatchObject({ state: "interrupted" });
});

test("a supervised server that is told to stop while it opens stops when it has", async () => {
  using directory = aDirectory();
  await using parts = new AsyncDisposableStack();
  const server = Bun.spawn([...PROGRAM, "__serve", "--addr", "127.0.0.1:0", "--grace", "0", ...directory.flags], {
    stderr: "ignore",
    ipc: (message: { opening?: object; ready?: object }) => {
      if (message.opening) {
        server.send({ go: { hangup_ignored: false } });
        server.send({ stop: { count: 1, name: "SIGTERM" } });
      }
      if (message.ready) server.send({ heard: true });
    },
  });
  parts.defer(() => server.kill("SIGKILL"));
  await until(() => server.exitCode !== null);
  expect(server.exitCode).toBe(0);
});
