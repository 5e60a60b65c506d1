import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { createFileServer } from "./src/file-server.ts";
import { get, NOT_FOUND, openSite } from "./hidden-site.ts";

const { base, server } = await openSite();

test.each([
  ["/", "home"],
  ["/docs", "docs"],
  ["/docs/", "docs"],
  ["/docs/plan.txt", "plan"],
  ["/docs%2fplan.txt", "plan"],
  ["/docs/..hidden..txt", "dots"],
  ["/docs/..%2findex.html", "home"],
  ["/inside.txt", "plan"],
  ["/inside/plan.txt", "plan"],
  ["/inside/", "docs"],
])("%s is served", async (path, body) => {
  expect(await get(server, path)).toEqual({ status: 200, body });
});

test.each(["current", "acme/", "acme/../acme"])("the root may be given as %s", async (root) => {
  expect(await get(createFileServer(`${base}/${root}`), "/docs/plan.txt")).toEqual({ status: 200, body: "plan" });
});

test.each(["/broken.txt", "/missing", "/docs/plan.txt/more"])("%s is not found", async (path) => {
  expect(await get(server, path)).toEqual(NOT_FOUND);
});

afterAll(async () => {
  await rm(base, { recursive: true, force: true });
  console.log("probe complete: service");
});
