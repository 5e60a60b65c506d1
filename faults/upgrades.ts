import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PROGRAM } from "../test/abeval.ts";
import type { ServedBy } from "../test/http/served.ts";
import { POSTGRES } from "../test/postgres/server.ts";
import { type Campaign, type Case, hold, numbered, Skip } from "./campaign.ts";
import { type Random, randomOfCase, whole } from "./random.ts";
import { SharedSite, type Site, StateSite } from "./upgraded-sites.ts";

const CASES = 14;
const RUNS = 8;
const TRIALS = 6;
/** Milliseconds after the first runs were accepted in which the change begins. */
const SPAN_MS = 2_000;

/** The release before, as its users run it, and this version. */
const BEFORE: ServedBy = { program: [resolve(process.env["ABEVAL_PREVIOUS"] ?? "")], supervised: true };
const NOW: ServedBy = { program: PROGRAM };

type Pause = () => Promise<void>;

interface Change {
  readonly name: string;
  readonly needs_postgres?: true;
  /** Gives the site when the last version is there. */
  readonly make: (pause: Pause, parts: AsyncDisposableStack) => Promise<Site>;
}

const shared = (name: string, make: (site: SharedSite, pause: Pause) => Promise<void>): Change => ({
  ...{ name, needs_postgres: true },
  async make(pause, parts) {
    const site = parts.use(await SharedSite.open());
    await make(site, pause);
    return site;
  },
});

const alone = (name: string, make: (site: StateSite, pause: Pause) => Promise<void>): Change => ({
  name,
  async make(pause, parts) {
    const site = parts.use(new StateSite());
    await make(site, pause);
    return site;
  },
});

/** As docs/scale.md says under "Upgrade". */
const CHANGES: readonly Change[] = [
  shared("servers are upgraded one by one", async (site, pause) => {
    await site.begin(BEFORE);
    await site.ask(RUNS, TRIALS);
    await pause();
    await site.addWorkers(NOW);
    await site.replaceServer(NOW);
    await site.ask(RUNS / 2);
    await site.stopWorkers(BEFORE);
  }),
  alone("a server with a state directory is upgraded", async (site, pause) => {
    await site.begin(BEFORE);
    await site.ask(RUNS, TRIALS);
    await pause();
    await site.stopAll();
    await site.begin(NOW);
    await site.ask(RUNS / 2);
  }),
  shared("servers go back one by one", async (site, pause) => {
    await site.begin(NOW);
    await site.addToTables();
    await site.ask(RUNS, TRIALS);
    await pause();
    await site.addWorkers(BEFORE);
    await site.replaceServer(BEFORE);
    await site.ask(RUNS / 2);
    await site.untilOthersCanGoOn();
    await site.stopWorkers(NOW);
  }),
  alone("a server with a state directory goes back", async (site, pause) => {
    await site.begin(NOW);
    await site.addToTables();
    await site.ask(RUNS, TRIALS);
    await pause();
    await site.stopAll();
    await site.begin(BEFORE);
    await site.ask(RUNS / 2);
  }),
  shared("all servers are stopped, then upgraded", async (site, pause) => {
    await site.begin(BEFORE);
    await site.ask(RUNS, TRIALS);
    await pause();
    await site.stopAll();
    await site.begin(NOW);
    await site.ask(RUNS / 2);
  }),
  shared("an upgrade is taken back before it is done", async (site, pause) => {
    await site.begin(BEFORE);
    await site.ask(RUNS, TRIALS);
    await pause();
    await site.addWorkers(NOW);
    await site.addToTables();
    await site.stopWorkers(BEFORE);
    await pause();
    await site.addWorkers(BEFORE);
    await site.stopWorkers(NOW);
    await site.ask(RUNS / 2);
  }),
  alone("a server with a state directory is killed, upgraded, killed, and goes back", async (site, pause) => {
    await site.begin(BEFORE);
    await site.ask(RUNS);
    await pause();
    await site.stopAll("SIGKILL");
    await site.begin(NOW);
    await site.ask(RUNS / 2);
    await pause();
    await site.stopAll("SIGKILL");
    await site.begin(BEFORE);
    await site.ask(RUNS / 2);
  }),
];

/** The release before and this version on one database or state directory, both ways. Nothing that was accepted is lost. */
export const campaign: Campaign = {
  about: `${CASES} upgrades and ways back, with runs that wait, run and are followed, and with series`,
  at_once: 2,
  cases: async ({ seed, count, shared }) => {
    const sums = new Map<string, number>();
    shared.defer(() => console.log(`  upgrades: ${[...sums].map(([name, sum]) => `${name} ${sum}`).join(", ")}`));
    return numbered(count(CASES), (index) => changed(randomOfCase(seed, index), index, sums));
  },
};

function changed(random: Random, index: number, sums: Map<string, number>): Case {
  const { name, needs_postgres, make } = CHANGES[index % CHANGES.length] as Change; // the remainder is one of them
  return {
    name,
    async run() {
      if (!existsSync(process.env["ABEVAL_PREVIOUS"] ?? ""))
        throw new Skip("needs ABEVAL_PREVIOUS, the executable of the release before");
      if (needs_postgres && !POSTGRES.met) throw new Skip(`needs ${POSTGRES.what}`);
      await using parts = new AsyncDisposableStack();
      const site = await make(() => sleep(whole(random, SPAN_MS)), parts);
      const { counts, problems } = await site.ending();
      for (const [what, count] of Object.entries(counts)) sums.set(what, (sums.get(what) ?? 0) + count);
      hold(problems.length === 0, "every run to end once and whole, for every reader", problems.join("; "));
    },
  };
}
