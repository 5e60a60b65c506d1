import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { CHROMIUM } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { temporaryDirectory } from "../temporary.ts";
import { webService } from "./web-service.ts";

/** Drops files of this machine, as a person does with the mouse. */
async function drop(page: Page, files: readonly string[], on: string): Promise<void> {
  const box = await page.locator(on).first().boundingBox();
  const place = { x: (box?.x ?? 0) + 5, y: (box?.y ?? 0) + 5 };
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [...files], dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"] as const)
    await session.send("Input.dispatchDragEvent", { type, ...place, data });
  await session.detach();
}

const TABLE = "scenario,trial,arm,passed\ns,1,new,true\ns,1,old,false\n";

describeNeeding(CHROMIUM)("what is dropped on the page of results", () => {
  const web = webService();

  test("is refused in words unless it is one table, and a drop beside the field leaves the page", async () => {
    using directory = temporaryDirectory();
    const path = (name: string) => join(directory.path, name);
    const markup = "<img src=x onerror=alert(1)>";
    mkdirSync(path(`${markup}.d`));
    writeFileSync(path("bytes.csv"), Buffer.from([0xff, 0xfe, 0, 1]));
    writeFileSync(path("large.csv"), TABLE + "s,2,new,true\n".repeat(2_000_000));
    writeFileSync(path(`${markup}.csv`), TABLE);
    const many = Array.from({ length: 1_000 }, (_, n) => path(`${n}.csv`));
    for (const one of many) writeFileSync(one, TABLE);
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.goto("/series/results");
    await page.getByText("Drop a table here, or choose one").waitFor();
    await drop(page, [path("bytes.csv")], "h1");
    await page.getByText("Drop a table here, or choose one").waitFor();
    const told = page.getByRole("alert");
    const said = async (files: readonly string[], words: string | RegExp) => {
      await drop(page, files, ".drop");
      await told.filter({ hasText: words }).waitFor();
    };
    await said(many, "1,000 files were dropped, and one is read: drop one table.");
    await said([path(`${markup}.d`)], `${markup}.d cannot be read. Choose a file that is there, not a folder.`);
    await said([path("bytes.csv")], /not UTF-8/);
    await said(
      [path("large.csv")],
      "large.csv has 24.8 MiB, and 7.0 MiB are read at most: `abeval results` reads larger tables.",
    );
    expect(await page.locator("img[src=x]").count()).toBe(0);
    await drop(page, [path(`${markup}.csv`)], ".drop");
    await page.waitForURL(/\/series\/results-/);
    expect(complaints.filter((complaint) => !/4\d\d/.test(complaint))).toEqual([]);
  }, 60_000);
});
