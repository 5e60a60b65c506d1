import { expect, test } from "bun:test";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../temporary.ts";
import { serve } from "./served.ts";
import { jsonPost } from "./service.ts";

test("a server whose state directory is gone is not ready, says why to whoever starts a run, and goes on when it is back", async () => {
  using directory = temporaryDirectory();
  const [path, aside] = [join(directory.path, "state"), join(directory.path, "aside")];
  await using server = await serve(["--state-dir", path]);
  const statusAndCode = async (answer: Response) => [answer.status, await answer.text()];
  const ready = () => fetch(`${server.url}/api/ready`);
  expect((await ready()).status).toBe(200);
  renameSync(path, aside);
  const refused = [503, expect.stringMatching(/"not_ready".*removed or moved.*put it back/)];
  expect(await statusAndCode(await ready())).toEqual(refused);
  const start = () => fetch(`${server.url}/api/runs/async`, jsonPost({ scenario: "suite-receipt" }));
  expect(await statusAndCode(await start())).toEqual(refused);
  expect((await fetch(`${server.url}/api/sessions`)).status).toBe(200);
  renameSync(aside, path);
  expect((await ready()).status).toBe(200);
});
