import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Series } from "../src/domain/series.ts";
import type { SessionOutcome } from "../src/domain/session.ts";
import { jsonPost, scenarioText } from "../test/http/service.ts";
import { hold } from "./campaign.ts";
import { pick, type Random, whole } from "./random.ts";
import { dial } from "./raw-http.ts";

/** Where a crowd comes to, and how many it is. */
export interface Scene {
  readonly url: URL;
  readonly count: number;
  readonly random: Random;
}

type Reader = (open: () => Promise<Socket>, random: Random) => Promise<readonly Socket[]>;

/** What a reader does instead of reading. */
const ODD: readonly Reader[] = [
  async (open) => [(await open()).pause()],
  async (open) => [(await open()).resume()],
  async (open, random) => {
    const socket = await open();
    await sleep(whole(random, 1_000));
    socket.resetAndDestroy();
    return [];
  },
  async (open, random) => {
    for (let n = 0; n < 5; n += 1) {
      const socket = (await open()).resume();
      await sleep(whole(random, 400));
      socket.destroy();
    }
    return [(await open()).resume()];
  },
];

/** Odd readers of one stream, and a good one, which hears all of it. */
async function crowdOfReaders({ url, count, random }: Scene, path: string, reader?: Reader): Promise<string> {
  const good = fetch(url.origin + path).then((response) => response.text());
  const open = async () => {
    const socket = await dial(url);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
    return socket;
  };
  const readers = Array.from({ length: count }, () => (reader ?? pick(random, ODD))(open, random));
  const text = await good;
  for (const socket of (await Promise.all(readers)).flat()) socket.destroy();
  return text;
}

/** Turns of the arm that says much, and what each takes. */
const TURNS = 100;
const TURN_MS = 30;

/** A scenario of which a reader hears 200 kB. */
export function wordyScenario(): string {
  const words = `, calls: [{list_files: {}}], delay_ms: ${TURN_MS}}, {say: ${"x".repeat(2_000)}`.repeat(TURNS);
  return `${scenarioText("wordy", words)}policies: {budget: {max_turns: ${TURNS + 10}}}\n`;
}

/** Readers of one run: odd ones, or all of one kind. */
export async function readRun(scene: Scene, scenario: string, reader?: Reader): Promise<void> {
  const { session_id } = (await post(scene, "/api/runs/async", { scenario })) as SessionOutcome;
  const heard = await crowdOfReaders(scene, `/api/runs/${session_id}/stream`, reader);
  hold(heard.includes('"verdict_ready"'), "the good reader to hear the verdict", heard.slice(-500));
}

const TRIALS = 30;

/** Odd readers of one series. */
export async function readSeries(scene: Scene): Promise<void> {
  const request = { scenarios: ["brief"], trials: TRIALS, parallel: 2 };
  const { series_id } = (await post(scene, "/api/series", request)) as Series;
  const heard = await crowdOfReaders(scene, `/api/series/${series_id}/stream`);
  const verdicts = heard.split('"verdict_ready"').length - 1;
  hold(
    verdicts >= TRIALS - 4,
    "the good reader to hear the verdicts of all trials that began after it came",
    `${verdicts}`,
  );
}

export const post = async ({ url }: Pick<Scene, "url">, path: string, asked: unknown): Promise<unknown> =>
  await (await fetch(url.origin + path, jsonPost(asked))).json();
