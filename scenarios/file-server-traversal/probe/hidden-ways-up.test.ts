import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { get, NOT_FOUND, openSite } from "./hidden-site.ts";

const { base, server } = await openSite();

test.each([
  "/..%2fsecret.txt",
  "/%2e%2e%2fsecret.txt",
  "/docs/..%2f..%2fsecret.txt",
  "/docs%2f..%2f..%2fsecret.txt",
  "/..%2fzenith/plan.txt",
  "/..%2fzenith",
  "/..%2f..%2f..%2f..%2f..%2f..%2f..%2f..%2fetc%2fpasswd",
  "/%252e%252e%252fsecret.txt",
])("%s is not found", async (path) => {
  expect(await get(server, path)).toEqual(NOT_FOUND);
});

afterAll(async () => {
  await rm(base, { recursive: true, force: true });
  console.log("probe complete: ways up");
});
