import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import type { Browser } from "playwright-core";
import { allowedHosts, allowedOrigins } from "../../src/doors/http/allowed-callers.ts";
import { CHROMIUM } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { launchBrowser } from "../web/browser.ts";
import { aService } from "./service.ts";

const DEFINITION = {
  name: "evil",
  task: { prompt: "Hi.", setup: ["touch ran"], probe: { checks: ["true"] } },
  arms: ["left", "right"].map((id) => ({ id, model: `scripted/${id}`, tools: [], script: [{ say: "Hi." }] })),
  rubric: { criteria: [{ measure: "probe_score" }], judge: { model: "builtin/evidence" } },
};

/** What a page can try that somebody visits. Each gives a status, or the browser's own refusal. */
const ATTACK = `
const json = { "content-type": "application/json", "if-none-match": "*" };
const scenario = JSON.stringify({ definition: ${JSON.stringify(DEFINITION)} });
const run = JSON.stringify({ scenario: "evil", definition: ${JSON.stringify(DEFINITION)} });
const told = (sent) => sent.then((answer) => answer.status, () => "refused");
window.attack = async (api) => ({
  json: await told(fetch(api + "/api/scenarios", { method: "POST", headers: json, body: scenario })),
  run: await told(fetch(api + "/api/runs", { method: "POST", headers: json, body: run })),
  text: await told(fetch(api + "/api/scenarios", { method: "POST", mode: "no-cors", body: scenario })),
  beacon: navigator.sendBeacon(api + "/api/runs", new Blob([run], { type: "text/plain" })),
  put: await told(fetch(api + "/api/scenarios", { method: "PUT", headers: json, body: scenario })),
});
`;

describeNeeding(CHROMIUM)("a hostile page, in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(async () => await browser?.close());

  test("sends scenarios with commands in every way, from another port and from inside a sandboxed frame, and none is taken", async () => {
    await using service = aService({
      intake: { commands: true },
      app: { origins: allowedOrigins(["self"]), hosts: allowedHosts([], "127.0.0.1", true) },
    });
    const { url } = service.listen();
    const frame = `<iframe sandbox="allow-scripts" srcdoc="<script>${ATTACK.replaceAll('"', "&quot;")}</script>"></iframe>`;
    using site = Bun.serve({
      port: 0,
      fetch: () => new Response(`<script>${ATTACK}</script>${frame}`, { headers: { "content-type": "text/html" } }),
    });
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${site.port}/`);
    const before = readdirSync(service.services.catalog.directory);
    const attack = async (api: string) =>
      await (globalThis as unknown as { attack: (to: string) => Promise<object> }).attack(api);
    const said = { json: 403, run: 403, text: 0, beacon: true };
    for (const from of page.frames()) expect(await from.evaluate(attack, url)).toMatchObject(said);
    expect(readdirSync(service.services.catalog.directory)).toEqual(before);
    expect(service.services.runs.all()).toEqual([]);
    await page.close();
  });
});
