import { expect, test } from "bun:test";
import { API_PAGE, withReference } from "./api-page.ts";

test("the reference in docs/api.md is what the router says; `bun run docs:api` writes it", async () => {
  const page = await Bun.file(API_PAGE).text();
  expect(page).toBe(await withReference(page));
  expect(page.match(/^#### `(GET|POST|DELETE) /gm)?.length).toBe(28);
});
