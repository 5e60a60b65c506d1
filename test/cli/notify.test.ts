import { expect, test } from "bun:test";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { linkFor, notifyTarget, post } from "../../src/doors/cli/reports/notify.ts";

/** A webhook that answers with these statuses, in turn. */
async function startHook(statuses: readonly number[]) {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const piece of request) text += piece;
    bodies.push(text);
    const status = statuses[bodies.length - 1] ?? 200;
    response.writeHead(status, status === 302 ? { location: "/elsewhere" } : {}).end("thank you");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    ...{ bodies, url: `http://127.0.0.1:${port}/hook` },
    [Symbol.asyncDispose]: async () => void (await new Promise((resolve) => server.close(resolve))),
  };
}

test("a message is one text with its link, as Slack takes it, and is tried three times where that may help", async () => {
  await using well = await startHook([]);
  expect(await post(well.url, { text: "Quiet.", link: "https://ci.example/1" })).toBeUndefined();
  expect(well.bodies.map((body) => JSON.parse(body))).toEqual([{ text: "Quiet.\nhttps://ci.example/1" }]);
  await using busy = await startHook([503, 429, 200]);
  expect(await post(busy.url, { text: "Quiet.", link: undefined })).toBeUndefined();
  expect(busy.bodies).toHaveLength(3);
  await using broken = await startHook([500, 500, 500, 200]);
  expect(await post(broken.url, { text: "Quiet.", link: undefined })).toBe("it answered 500");
  expect(broken.bodies).toHaveLength(3);
  await using gone = await startHook([404]);
  expect(await post(gone.url, { text: "Quiet.", link: undefined })).toBe("it answered 404");
  expect(gone.bodies).toHaveLength(1);
  await using moved = await startHook([302]);
  expect(await post(moved.url, { text: "Quiet.", link: undefined })).toBe("it answered 302");
  await using long = await startHook([]);
  await post(long.url, { text: "x".repeat(5_000), link: undefined });
  expect((JSON.parse(long.bodies[0] ?? "") as { text: string }).text).toHaveLength(2_000);
});

test("an address is https, and no refusal names it; the link is the one that was given, or the job's", () => {
  expect(notifyTarget(undefined, { notify_url: undefined })).toBeUndefined();
  expect(notifyTarget("https://hooks.example/a", { notify_url: "https://hooks.example/b" })).toBe(
    "https://hooks.example/a",
  );
  expect(notifyTarget(undefined, { notify_url: "https://hooks.example/b" })).toBe("https://hooks.example/b");
  const refused = (given: string | undefined, notify_url?: string) => () => notifyTarget(given, { notify_url });
  expect(refused("http://hooks.example/secret")).toThrow(/^--notify: expected an address that begins with https:\/\/$/);
  expect(refused(undefined, "secret")).toThrow(/^ABEVAL_NOTIFY_URL: expected an address/);
  expect(linkFor("series-1", undefined, { job_url: "https://ci.example/7" })).toBe("https://ci.example/7");
  expect(linkFor("series-1", "https://abeval.example/series/{id}", { job_url: undefined })).toBe(
    "https://abeval.example/series/series-1",
  );
});
