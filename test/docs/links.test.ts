import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { ROOT } from "../abeval.ts";
import { type Page, readPage } from "./pages.ts";

const paths = ["README.md", "CHANGELOG.md", "SECURITY.md", "scenarios/README.md", ".github/CONTRIBUTING.md"].concat(
  [...new Bun.Glob("docs/**/*.md").scanSync(ROOT)].sort(),
);
const pages = new Map(await Promise.all(paths.map(async (path) => [path, await readPage(path)] as const)));

const prose = (text: string) => text.replaceAll(/^([ \t]*)```[\s\S]*?\n\1```$/gm, "");

const linksOf = ({ text }: Page) => [...prose(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);

/** The anchors that GitHub and others make of a page's headings. */
const anchorsOf = ({ text }: Page) =>
  [...prose(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );

function problemWith(page: Page, link: string): string | null {
  if (/^[a-z]+:/.test(link)) return null;
  const [file = "", anchor] = link.split("#");
  const path = file === "" ? page.path : normalize(join(dirname(page.path), file));
  if (!existsSync(join(ROOT, path))) return `${page.path}: ${link}: no such file`;
  const target = pages.get(path);
  if (anchor === undefined || !target) return null;
  return anchorsOf(target).includes(anchor) ? null : `${page.path}: ${link}: no such heading`;
}

test("every link between the pages leads somewhere", () => {
  const links = [...pages.values()].flatMap((page) => linksOf(page).map((link) => [page, link] as const));
  expect(links.map(([page, link]) => problemWith(page, link)).filter((problem) => problem !== null)).toEqual([]);
  expect(links.length).toBeGreaterThan(20);
});
