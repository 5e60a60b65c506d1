import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../temporary.ts";
import { serve } from "./served.ts";
import { jsonPost } from "./service.ts";

test("a server whose state directory is removed is not ready, and says why to whoever starts a run", async () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "state");
  await using server = await serve(["--state-dir", path]);
  const statusAndCode = async (answer: Response) => [answer.status, await answer.text()];
  const ready = () => fetch(`${server.url}/api/ready`);
  expect((await ready()).status).toBe(200);
  rmSync(path, { recursive: true });
  const refused = [503, expect.stringMatching(/"not_ready".*was removed.*start the server again/)];
  expect(await statusAndCode(await ready())).toEqual(refused);
  const start = () => fetch(`${server.url}/api/runs/async`, jsonPost({ scenario: "suite-receipt" }));
  expect(await statusAndCode(await start())).toEqual(refused);
  expect((await fetch(`${server.url}/api/sessions`)).status).toBe(200);
});
