import { expect, test } from "bun:test";
import { apiReference } from "../../release/api-reference.ts";
import { commonFiles } from "../../release/contents.ts";
import { ENDPOINTS } from "../../src/doors/endpoint/endpoints.ts";
import { temporaryDirectory } from "../temporary.ts";

test("the reference has every route once, and each of its links leads to a type", () => {
  const page = apiReference();
  expect(new Set(page.match(/^### `(GET|POST|DELETE) .+`$/gm)).size).toBe(Object.keys(ENDPOINTS).length);
  const types = new Set(page.match(/^### \w+$/gm)?.map((heading) => `#${heading.slice(4).toLowerCase()}`));
  const links = [...page.matchAll(/\]\((#[^)]+)\)/g)].map(([, target = ""]) => target);
  expect(links.length).toBeGreaterThan(300);
  expect(links.filter((link) => !types.has(link))).toEqual([]);
});

test("a release has the reference among its documents", async () => {
  using ui = temporaryDirectory();
  const files = await commonFiles(ui.path);
  const [reference, ...more] = files.filter(({ path }) => path === "docs/api.md");
  expect(more).toEqual([]);
  expect(Buffer.from(reference?.bytes ?? []).toString()).toBe(apiReference());
});
