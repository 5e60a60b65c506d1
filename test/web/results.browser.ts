import { expect, test } from "bun:test";
import { CHROMIUM } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { shownText } from "./browser.ts";
import { inspect } from "./inspect.ts";
import { faultsOfTab } from "./keyboard.ts";
import { webService } from "./web-service.ts";

const TABLE = [
  "scenario,trial,arm,passed",
  ...Array.from({ length: 9 }, (_, index) => `task-${index},1,new,true\ntask-${index},1,old,${index === 0}`),
];

const file = (lines: readonly string[]) => ({
  ...{ name: "results.csv", mimeType: "text/csv" },
  buffer: Buffer.from(lines.join("\n")),
});

describeNeeding(CHROMIUM)("the page of results of another harness", () => {
  const web = webService();

  test("takes a file, lets choose two of many arms, and shows the series without a run, a judge or a cost", async () => {
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.goto("/series");
    await page.getByRole("link", { name: "compare its table of results" }).click();
    await page.getByText("it saw none of these runs").waitFor();
    expect(await inspect(page, "drop-results")).toEqual([]);
    const field = page.getByLabel("Drop a table here, or choose one");
    await field.setInputFiles(file(["scenario,trial,arm,passed", "s,1,new,2"]));
    await page.getByText("line 2, column 4: passed: must be true, false, 1 or 0").waitFor();
    await field.setInputFiles(
      file([...TABLE, ...Array.from({ length: 31 }, (_, arm) => `task-0,1,third-${arm},false`)]),
    );
    await page.getByLabel("Arm A").selectOption("new");
    await page.getByLabel("Arm B").selectOption("old");
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: /new solved / }).waitFor();
    await page.locator("strong", { hasText: "These results were imported." }).waitFor();
    expect(await page.getByText("Judge and cost").count()).toBe(0);
    expect(await page.getByText("Cost so far").count()).toBe(0);
    expect(await page.locator(".strip a").count()).toBe(0);
    expect(await page.locator(".by-scenario a").count()).toBe(0);
    expect(await inspect(page, "imported-results")).toEqual([]);
    const { pathname } = new URL(page.url());
    expect(pathname).toMatch(/^\/series\/results-[0-9a-f]{64}$/);
    await page.reload();
    await page.getByRole("heading", { level: 1, name: /new solved / }).waitFor();
    await page.getByRole("link", { name: "Compare another table" }).click();
    await field.waitFor();
    await page.goto("/series");
    const listed = page.locator(".session").filter({ has: page.locator(`a[href="${pathname}"]`) });
    await listed.getByText("9 trials count").waitFor();
    expect(await listed.locator(".caveat").allTextContents()).toContain("! imported, not run here");
    expect(await listed.getByRole("checkbox").count()).toBe(0);
    expect(await inspect(page, "listed-results")).toEqual([]);
    expect(await faultsOfTab(page)).toEqual([]);
    expect(complaints.filter((complaint) => !complaint.includes("422"))).toEqual([]);
  });

  test("groups the scenarios by a column of the table that is chosen", async () => {
    await using reader = await web.visit();
    const { page } = reader;
    await page.goto("/series/results");
    const [head, ...rows] = TABLE;
    const lines = rows.map((pair, index) => pair.replace(/$/gm, index < 4 ? ",easy" : ",hard"));
    await page.getByLabel("Drop a table here, or choose one").setInputFiles(file([`${head},tier`, ...lines]));
    await page.getByLabel("Group scenarios by").selectOption("tier");
    const row = page.getByRole("region", { name: "Results by tier" }).getByRole("row", { name: /^easy/ });
    await row.waitFor();
    expect((await row.textContent())?.replaceAll(/\s+/g, " ")).toStartWith("easy431088%");
    const heads = (await shownText(page.locator(".member-table thead"))).replaceAll(/\s+/g, " ");
    expect(heads).toMatch(/A Arm A: passed B Arm B: passed/);
    expect(await page.locator(".member-table a").count()).toBe(0);
    expect(await inspect(page, "grouped-results")).toEqual([]);
    expect(await faultsOfTab(page)).toEqual([]);
  });

  test("asks which scores tie only of a table that has scores", async () => {
    await using reader = await web.visit();
    const { page } = reader;
    await page.goto("/series/results");
    const field = page.getByLabel("Drop a table here, or choose one");
    const margin = page.getByLabel("Two scores are level when they differ by at most");
    await field.waitFor();
    expect(await margin.count()).toBe(0);
    const rows = TABLE.slice(1).map((pair) => pair.replaceAll("true", "0.9").replaceAll("false", "0.2"));
    await field.setInputFiles(file(["scenario,trial,arm,score", ...rows]));
    await margin.fill("0.8");
    expect(await inspect(page, "scored-results")).toEqual([]);
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    await page.getByText("Plan and limits").click();
    await page.getByText("differ by 0.8 at most").waitFor();
  });

  test("says that a folder cannot be read, takes no second table meanwhile, and a good one afterwards", async () => {
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.goto("/series/results");
    const field = page.getByLabel("Drop a table here, or choose one");
    await field.waitFor();
    // As a browser reads a folder, once `fail()` is called.
    await page.evaluate(`{
      const { text } = Blob.prototype;
      globalThis.reads = 0;
      Blob.prototype.text = () => new Promise((_, reject) => {
        globalThis.reads += 1;
        globalThis.fail = () => {
          Blob.prototype.text = text;
          reject(new DOMException("A requested file or directory could not be found.", "NotFoundError"));
        };
      });
      const transfer = new DataTransfer();
      transfer.items.add(new File([], "folder"));
      globalThis.drop = () => document.querySelector(".drop").dispatchEvent(new DragEvent("drop", { dataTransfer: transfer }));
      drop();
    }`);
    await page.getByText("Reading …").waitFor();
    await page.evaluate("drop()");
    expect(await page.evaluate("reads")).toBe(1);
    await page.evaluate("fail()");
    await page.getByText("folder cannot be read. Choose a file that is there, not a folder.").waitFor();
    await field.setInputFiles(file(TABLE));
    await page.getByRole("heading", { level: 1, name: /new solved / }).waitFor();
    expect(complaints).toEqual([]);
  });

  test("takes a file that is dropped on it", async () => {
    await using reader = await web.visit();
    const { page } = reader;
    await page.goto("/series/results");
    const text = TABLE.join("\n");
    const dropped = await page.evaluateHandle((csv) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([csv], "results.csv", { type: "text/csv" }));
      return transfer;
    }, text);
    await page.locator(".drop").dispatchEvent("drop", { dataTransfer: dropped });
    await page.getByRole("heading", { level: 1, name: /new solved / }).waitFor();
  });
});
