import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { typeFlag } from "type-flag";
import type { Campaign } from "./campaign.ts";
import { type Report, runCampaign } from "./run-campaign.ts";

/** In the order in which they run. Each is loaded late, after the program under test is chosen. */
const CAMPAIGNS: Readonly<Record<string, () => Promise<{ readonly campaign: Campaign }>>> = {
  kills: () => import("./kills.ts"),
  deploys: () => import("./deploys.ts"),
  storage: () => import("./storage.ts"),
  clock: () => import("./clock.ts"),
  provider: () => import("./provider.ts"),
  streams: () => import("./streams.ts"),
  requests: () => import("./requests.ts"),
  scenarios: () => import("./scenarios.ts"),
  "judge-views": () => import("./judge-views.ts"),
  canaries: () => import("./canaries.ts"),
  "hostile-arms": () => import("./hostile-arms.ts"),
  "hostile-agents": () => import("./hostile-agents.ts"),
  smuggling: () => import("./smuggling.ts"),
  "dear-checks": () => import("./dear-checks.ts"),
  "dear-files": () => import("./dear-files.ts"),
  spending: () => import("./spending.ts"),
  crowds: () => import("./crowds.ts"),
  mcp: () => import("./mcp.ts"),
  shared: () => import("./shared.ts"),
  standing: () => import("./standing.ts"),
  upgrades: () => import("./upgrades.ts"),
};

const USAGE = `bun run faults [campaign...] [--seed n] [--scale x] [--case n] [--times n]
campaigns: ${Object.keys(CAMPAIGNS).join(", ")} (all when none is named)
--scale 0.1 tries a tenth of the cases; --case repeats one of them; --times tries each so often and prints its median`;

const {
  flags,
  _: named,
  unknownFlags,
} = typeFlag({
  ...{ seed: Number, scale: { type: Number, default: 1 }, case: Number, times: { type: Number, default: 1 } },
});
const names = named.length > 0 ? [...named] : Object.keys(CAMPAIGNS);
const unknown = names.find((name) => CAMPAIGNS[name] === undefined);
const numbers = [flags.seed ?? 0, flags.scale, flags.case ?? 0, flags.times];
if (unknown !== undefined || Object.keys(unknownFlags).length > 0 || numbers.some((number) => !(number >= 0))) {
  console.error(USAGE);
  process.exit(2);
}

const program = chooseProgram();
const seed = flags.seed ?? Math.floor(Math.random() * 1_000_000);
console.log(`program: ${program}; seed ${seed}`);

const began = performance.now();
const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`;
const reports: Report[] = [];
for (const name of names) {
  const campaign = (await CAMPAIGNS[name]?.())?.campaign;
  if (campaign === undefined) continue;
  const since = performance.now();
  console.log(`${name}: ${campaign.about}`);
  const count = (full: number) => Math.max(1, Math.round(full * flags.scale));
  const report = await runCampaign({
    name,
    campaign,
    seed,
    count,
    only: flags.case,
    times: flags.times,
    print: console.log,
  });
  reports.push(report);
  console.log(`${name}: ${sentence(report)}, ${seconds(since)}`);
}
const failures = reports.flatMap((report) => report.failures);
const sum = (of: (report: Report) => number) => reports.reduce((total, report) => total + of(report), 0);
const whole = { survived: sum(({ survived }) => survived), skipped: sum(({ skipped }) => skipped), failures };
console.log(`${sentence(whole)} in ${seconds(began)}`);
process.exit(failures.length > 0 ? 1 : 0);

function sentence({ survived, skipped, failures }: Report): string {
  return `survived ${survived} of ${survived + failures.length}${skipped > 0 ? ` (${skipped} skipped)` : ""}`;
}

/** The compiled program, because users run that one; the sources when it is missing or older than them. */
function chooseProgram(): string {
  const root = join(import.meta.dir, "..");
  const given = process.env["ABEVAL_BIN"];
  if (given) return given;
  const built = statSync(join(root, "dist/abeval"), { throwIfNoEntry: false })?.mtimeMs;
  const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
  const newest = Math.max(...sources.map((name) => statSync(join(root, "src", name)).mtimeMs));
  if (built === undefined) return "src/main.ts (dist/abeval is not built)";
  if (built < newest) return "src/main.ts (dist/abeval is older than the sources)";
  // Campaigns load `test/abeval.ts`, which reads this.
  process.env["ABEVAL_BIN"] = "dist/abeval";
  return "dist/abeval";
}
