import { expect, test } from "bun:test";
import { CHROMIUM } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { webService } from "./web-service.ts";

describeNeeding(CHROMIUM)("a run in the web UI", () => {
  const web = webService();

  test("loses no decision when the page is loaded again in the middle, and stops when told to", async () => {
    const id = await web.service.start("slow");
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.goto(`/sessions/${id}`);
    await page.waitForURL(/\/live\//);
    await page.getByText("Step 3.", { exact: true }).first().waitFor();
    await page.reload();
    await page.getByText("Step 5.", { exact: true }).first().waitFor();
    const walker = page.locator(".step.side-a .seq");
    const seqs = (await walker.allInnerTexts()).map(Number).reverse();
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));

    await page.getByRole("checkbox", { name: /Turn/ }).uncheck();
    expect(await page.locator(".timeline .kind-model_turn").count()).toBe(0);
    expect(await page.locator(".timeline .kind-tool_call").count()).toBeGreaterThan(3);

    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await page.getByRole("button", { name: "Stop the run" }).click();
    await page.getByText("The run ended without a verdict").waitFor();
    await page.getByRole("link", { name: "See why" }).click();
    await page.getByRole("heading", { name: "This run was stopped" }).waitFor();
    expect((await web.service.session(id)).state).toBe("cancelled");
    expect(complaints).toEqual([]);
  }, 60_000);

  test("opens its verdict when it has ended, and its timeline can still be read", async () => {
    const { session_id } = await web.service.run("quick");
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.goto(`/live/${session_id}`);
    await page.waitForURL(/\/sessions\//);
    await page.getByRole("link", { name: "Timeline" }).click();
    await page.getByText("Back to the session").waitFor();
    expect(await page.locator(".step").count()).toBe(10);
    expect(complaints).toEqual([]);
  }, 60_000);

  test("says that the server is gone, and shows the interrupted session when it is back", async () => {
    const id = await web.service.start("slow");
    await using reader = await web.visit();
    const { page } = reader;
    await page.goto(`/live/${id}`);
    await page.getByText("Step 2.", { exact: true }).first().waitFor();
    await web.service.kill();
    await page.getByText("The server does not answer.").waitFor();
    expect(await page.locator(".step").count()).toBeGreaterThan(2);
    await web.service.revive();
    await page.getByText("The run ended without a verdict").waitFor();
    await page.getByRole("heading", { name: "This run was interrupted" }).waitFor();
    expect(await page.locator(".connection").count()).toBe(0);
  }, 60_000);
});
