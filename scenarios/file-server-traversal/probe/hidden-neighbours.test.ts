import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { get, NOT_FOUND, openSite } from "./hidden-site.ts";

const { base, server } = await openSite();

test.each(["/..%2facme-drafts%2fplan.txt", "/..%2facme-drafts", "/docs/..%2f..%2facme-drafts/index.html"])(
  "%s is not found",
  async (path) => {
    expect(await get(server, path)).toEqual(NOT_FOUND);
  },
);

afterAll(async () => {
  await rm(base, { recursive: true, force: true });
  console.log("probe complete: neighbours");
});
