import { expect, test } from "bun:test";
import { startAbeval } from "../abeval.ts";

test("a server goes on when nobody reads its log any more", async () => {
  const child = startAbeval(["serve", "--addr", "127.0.0.1:0"]);
  let said = "";
  // The end of the loop closes the pipe.
  for await (const chunk of child.stderr) {
    said += Buffer.from(chunk).toString();
    if (said.includes("listening on")) break;
  }
  const [url] = /http:\S+/.exec(said) ?? [];
  const statuses: number[] = [];
  for (let asked = 0; asked < 5; asked += 1) statuses.push((await fetch(`${url}/api/health`)).status);
  child.kill("SIGINT");
  expect({ statuses, status: await child.exited }).toEqual({ statuses: [200, 200, 200, 200, 200], status: 0 });
}, 60_000);
