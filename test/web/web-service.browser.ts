import { expect, test } from "bun:test";
import { CHROMIUM } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { webService } from "./web-service.ts";

describeNeeding(CHROMIUM)("a block of tests in the browser", () => {
  const web = webService();

  test("has its server and browser again after a test that took both with it", async () => {
    const { session_id } = await web.service.run("quick");
    await web.service.kill();
    const before = await web.visit();
    await before.context.browser()?.close();
    await web.ready();
    await using reader = await web.visit();
    await reader.page.goto(`/sessions/${session_id}`);
    await reader.page.getByRole("heading", { name: "Both judging orders" }).waitFor();
    expect(await web.service.answers()).toBe(true);
  }, 60_000);
});
