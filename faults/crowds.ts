import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isFinal, type SessionOutcome } from "../src/domain/session.ts";
import { MAX_VOTES } from "../src/domain/vote.ts";
import { type Served, serve } from "../test/http/served.ts";
import { jsonPost, slowScenario } from "../test/http/service.ts";
import { type Campaign, type Case, hold } from "./campaign.ts";
import { openCaseDirectories } from "./case-directories.ts";
import { post, readRun, readSeries, type Scene, wordyScenario } from "./crowd-readers.ts";
import { randomOfCase } from "./random.ts";
import { dial } from "./raw-http.ts";
import { type Figures, printFigures, watched } from "./watched.ts";

const CONNECTIONS = 2_000;
const READERS = 1_200;
const VOTES = 1_100;
const CANCELS = 3_000;
const PAUSED = 2_000;
const LISTENERS = 50;
const NAMES = 5_000;

/** Many clients at once that want nothing good. Others are answered meanwhile, and what they began ends as it should. */
export const campaign: Campaign = {
  about: `${CONNECTIONS} slow connections, ${READERS} odd readers, ${PAUSED} that never read, ${VOTES} votes, ${CANCELS} cancellations`,
  at_once: 1,
  cases: async ({ seed, count, shared }) => {
    const rows: Figures[] = [];
    shared.defer(() => printFigures("crowd", rows));
    return CROWDS.map(({ name, full, run }, index) =>
      crowdCase({ name: `${count(full)} ${name}`, run }, rows, (server) => ({
        ...server,
        count: count(full),
        random: randomOfCase(seed, index),
      })),
    );
  },
};

interface Crowd {
  readonly name: string;
  /** How many they are. */
  readonly full: number;
  readonly run: (scene: Scene) => Promise<void>;
}

const CROWDS: readonly Crowd[] = [
  { name: "connections that say nothing", full: CONNECTIONS, run: (scene) => slowly(scene, "") },
  {
    name: "heads that come byte by byte",
    full: CONNECTIONS,
    run: (scene) => slowly(scene, "GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "),
  },
  {
    name: "bodies that come byte by byte",
    full: CONNECTIONS,
    run: (scene) =>
      slowly(scene, `POST /api/runs/async HTTP/1.1\r\nHost: 127.0.0.1\r\n${JSON_TYPE}Content-Length: 1000000\r\n\r\n`),
  },
  { name: "readers of a run", full: READERS, run: (scene) => readRun(scene, "long") },
  {
    name: "readers who never read",
    full: PAUSED,
    run: (scene) => readRun(scene, "wordy", async (open) => [(await open()).pause()]),
  },
  {
    name: "listeners to 200 kB of one run",
    full: LISTENERS,
    run: (scene) => readRun(scene, "wordy", async (open) => [(await open()).resume()]),
  },
  { name: "readers of a series", full: READERS, run: (scene) => readSeries(scene) },
  { name: "votes on one run", full: VOTES, run: votes },
  { name: "cancellations of runs", full: CANCELS, run: cancels },
  { name: "names that ask for a run, 200 at once", full: NAMES, run: named },
];

const JSON_TYPE = "Content-Type: application/json\r\n";

function crowdCase(
  { name, run }: Pick<Crowd, "name" | "run">,
  rows: Figures[],
  scene: (server: Pick<Scene, "url">) => Scene,
): Case {
  return {
    name,
    async run() {
      using directories = openCaseDirectories();
      const scenarios = join(directories.path, "scenarios");
      mkdirSync(scenarios);
      for (const [file, ms] of Object.entries({ quick: 0, brief: 300, long: 5_000 }))
        writeFileSync(join(scenarios, `${file}.yaml`), slowScenario(file, ms));
      writeFileSync(join(scenarios, "wordy.yaml"), wordyScenario());
      const args = [
        "--scenarios-dir",
        scenarios,
        "--state-dir",
        directories.state,
        "--log",
        "none",
        "--user-header",
        NAME,
      ];
      await using served = await serve(args, { TMPDIR: directories.scratch });
      const place = { name, served, directory: directories.path, rows };
      await watched(place, () => run(scene({ url: new URL(served.url) })));
      await idle(served);
    },
  };
}

/** Nothing of the crowd goes on after it has gone. */
async function idle({ url }: Served): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const { length } = (await getJson(`${url}/api/sessions?state=running`)) as readonly unknown[];
    if (length === 0) return;
    await sleep(100);
  }
  hold(false, "no run to go on");
}

const getJson = async (url: string): Promise<unknown> => await (await fetch(url)).json();

const SLOW_MS = 6_000;
const BYTE_MS = 500;

async function slowly({ url, count }: Scene, head: string): Promise<void> {
  const sockets = await Promise.all(Array.from({ length: count }, () => dial(url)));
  const write = (text: string) => {
    if (head !== "") for (const socket of sockets.filter(({ destroyed }) => !destroyed)) socket.write(text);
  };
  write(head);
  for (let passed = 0; passed < SLOW_MS; passed += BYTE_MS) {
    await sleep(BYTE_MS);
    write("a");
  }
  for (const socket of sockets) socket.destroy();
}

async function votes(scene: Scene): Promise<void> {
  const { session_id } = (await post(scene, "/api/runs", { scenario: "quick" })) as SessionOutcome;
  const path = `/api/sessions/${session_id}/votes`;
  const vote = { order: "ab", choice: "a", blind: false, reason: "x".repeat(2_000), voter: "y".repeat(100) };
  const answers = await atOnce(scene.count, async () => (await fetch(scene.url.origin + path, jsonPost(vote))).status);
  const taken = answers.filter((status) => status === 200).length;
  const refused = answers.filter((status) => status >= 400 && status < 500).length;
  const { votes: kept = [] } = (await getJson(`${scene.url.origin}/api/sessions/${session_id}`)) as SessionOutcome;
  hold(taken + refused === scene.count, "every vote to be taken or refused", [...new Set(answers)].join());
  hold(kept.length === taken, "as many votes as were taken", `${kept.length} of ${taken}`);
  hold(kept.length <= MAX_VOTES, `at most ${MAX_VOTES} votes`, `${kept.length}`);
}

/** The header in which users are named. */
const NAME = "X-User";

/** Each has a name of its own, and wants a run or reads the list. What is accepted comes to its end. */
async function named({ url, count }: Scene): Promise<void> {
  const ask = async (index: number) => {
    const asked = index % 2 === 0 ? jsonPost({ scenario: "quick" }) : {};
    const headers = { "content-type": "application/json", [NAME]: `${index} ${"x".repeat(100)}` };
    const path = index % 2 === 0 ? "/api/runs/async" : `/api/sessions?user=${index}`;
    const answer = await fetch(url.origin + path, { ...asked, headers });
    await answer.arrayBuffer();
    return answer.status;
  };
  const statuses = new Set(await atOnce(count, ask, 200));
  hold(statuses.isSubsetOf(new Set([200, 503])), "200 or 503", [...statuses].join());
}

/** Clients that ask side by side. */
const AT_ONCE = 100;

async function atOnce<T>(count: number, ask: (index: number) => Promise<T>, at_once = AT_ONCE): Promise<readonly T[]> {
  const waiting = Array.from({ length: count }, (_, index) => index).values();
  const answers: T[] = [];
  const client = async () => {
    for (const index of waiting) answers.push(await ask(index));
  };
  await Promise.all(Array.from({ length: at_once }, client));
  return answers;
}

async function endedSession({ url }: Pick<Scene, "url">, id: string, tries = 100): Promise<SessionOutcome> {
  const outcome = (await getJson(`${url.origin}/api/sessions/${id}`)) as SessionOutcome;
  if (isFinal(outcome.state) || tries === 0) return outcome;
  await sleep(50);
  return await endedSession({ url }, id, tries - 1);
}

const RUNS = 60;

async function cancels(scene: Scene): Promise<void> {
  const started = Array.from({ length: RUNS }, () => post(scene, "/api/runs/async", { scenario: "long" }));
  const ids = ((await Promise.all(started)) as readonly SessionOutcome[]).map(({ session_id }) => session_id);
  const answers = await atOnce(scene.count, async (index) => {
    const id = index % 7 === 0 ? "session-none-20260102T030405000Z" : ids[index % ids.length];
    return (await fetch(`${scene.url.origin}/api/runs/${id}`, { method: "DELETE" })).status;
  });
  hold(
    answers.every((status) => status === 202 || status === 404),
    "202 or 404",
    [...new Set(answers)].join(),
  );
  for (const id of ids) {
    const { state } = await endedSession(scene, id);
    hold(state === "cancelled", `${id} to be cancelled`, state);
  }
}
