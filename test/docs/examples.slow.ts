import { expect, test } from "bun:test";
import { join } from "node:path";
import { serve } from "../http/served.ts";
import { EXAMPLE_TOOLS } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { PAGES, type Page } from "./pages.ts";
import { openShell } from "./shell.ts";

const isShell = (language: string) => language === "sh" || language === "bash";

/** The address of the server in the pages. */
const WRITTEN_ADDRESS = "http://127.0.0.1:8080";

/** Parts of the output that differ from run to run. */
const steady = (text: string) =>
  text
    .replaceAll(/session-([a-z-]+)-\d{8}T\d{9}Z/g, "session-$1-<time>")
    .replaceAll(/series-\d{8}T\d{9}Z-[0-9a-f]{8}/g, "series-<time>")
    .replaceAll(/verdict-\d{8}T\d{9}Z-[0-9a-f]{8}/g, "verdict-<time>")
    .replaceAll(/"[0-9a-f]{64}"/g, '"<digest>"')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "<time>")
    // A busy machine may hold up the program while arms run.
    .replaceAll(/"stalled",?\s*/g, "")
    .trim();

interface Example {
  readonly script: string;
  /** The output that the page shows. */
  readonly printed: string | null;
}

/** Shell blocks without a mark. A block of JSON or text right after one is its output. */
function examplesOf({ text, blocks }: Page): Example[] {
  return blocks.flatMap((block, index) => {
    if (!isShell(block.language) || block.comment !== null) return [];
    const next = blocks[index + 1];
    const follows =
      next !== undefined && text.includes(`${block.text}\n\`\`\`\n\n\`\`\`${next.language}\n${next.text}`);
    const isOutput = follows && (next.language === "json" || next.language === "text");
    return [{ script: block.text, printed: isOutput ? next.text : null }];
  });
}

const pages = PAGES.filter((page) => examplesOf(page).length > 0);

describeNeeding(...EXAMPLE_TOOLS)("examples", () => {
  // Each has a directory and a server of its own.
  test.concurrent.each(pages.map((page) => [page.path, page] as const))(
    "every shell example in %s works and prints what the page says",
    async (_, page) => {
      using shell = openShell();
      await using server = await serve(["--state-dir", join(shell.path, "state")], {}, { cwd: shell.path });
      for (const { script, printed } of examplesOf(page)) {
        const { status, stdout, stderr } = await shell.type(script.replaceAll(WRITTEN_ADDRESS, server.url));
        expect({ script, status, stderr }).toEqual({ script, status: 0, stderr: expect.any(String) });
        if (printed !== null) expect(steady(stdout)).toBe(steady(printed));
      }
    },
    240_000,
  );
});

test("a shell example that is not run says why", () => {
  const marked = PAGES.flatMap(({ path, blocks }) =>
    blocks
      .filter(({ language, comment }) => isShell(language) && comment !== null)
      .map((block) => [path, block] as const),
  );
  const wrong = marked.filter(([, { comment }]) => !/^(not run: \w.{5,}|(gate|checks): \w.+)$/.test(comment ?? ""));
  expect(wrong.map(([path, { comment }]) => `${path}: ${comment}`)).toEqual([]);
});
