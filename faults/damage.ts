import { readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionServices } from "../src/comparison/planning/services.ts";
import { systemClock, systemEntropy } from "../src/runtime/clock.ts";
import { readSession } from "../src/store/read-session.ts";
import { sqliteStore } from "../src/store/sqlite/sqlite-store.ts";
import { abeval } from "../test/abeval.ts";
import { bundled, runOnce, testServices } from "../test/harness.ts";
import { type Served, serve } from "../test/http/served.ts";
import { jsonPost } from "../test/http/service.ts";
import { keep } from "../test/stored.ts";
import { type Case, hold, numbered } from "./campaign.ts";
import { openCaseDirectories } from "./case-directories.ts";
import { checkStateDirectory } from "./invariants.ts";
import { writeLoads } from "./load.ts";
import { pick, type Random, randomOfCase, whole } from "./random.ts";

/** One line `abeval: <words>`, without a stack. */
export const isOneLine = (stderr: string) => /^abeval: [^\n]+\n$/.test(stderr) && !/ {4}at /.test(stderr);

/** A digest of the names and bytes in a directory. */
export function digestOf(directory: string): string {
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" }).toSorted();
  const hasher = new Bun.CryptoHasher("sha256");
  for (const name of names) {
    hasher.update(`${name}\0`);
    if (statSync(join(directory, name)).isFile()) hasher.update(readFileSync(join(directory, name)));
  }
  return hasher.digest("hex");
}

const SESSIONS = 3;

/** Makes a state directory with a few finished sessions, one of them with real evidence. Gives their ids. */
export async function seededState(state: string): Promise<readonly string[]> {
  using store = sqliteStore(state, systemClock, systemEntropy);
  const services: SessionServices = testServices({}, { store });
  const { outcome } = await runOnce(services, await bundled("pager-last-page"), { judge_model: "builtin/evidence" });
  const ids = Array.from({ length: SESSIONS }, (_, n) => `session-sample-20260102T03040500${n}Z`);
  const decisions = Object.fromEntries(outcome.arms.map(({ arm_id }) => [arm_id, []]));
  for (const id of ids) await keep(store, { ...outcome, session_id: id, decisions });
  return [outcome.session_id, ...ids];
}

type Damage = readonly [name: string, harm: (bytes: Buffer, random: Random) => Buffer];

const BYTES_HARMED = 64;

const DAMAGES: readonly Damage[] = [
  ["cut short", (bytes, random) => bytes.subarray(0, 1 + whole(random, bytes.length - 1))],
  ["with a page of noise", (bytes, random) => noise(bytes, random, 4096)],
  ["with some bytes of noise", (bytes, random) => noise(bytes, random, 1 + whole(random, BYTES_HARMED))],
  ["with a page of zeros", (bytes, random) => bytes.fill(0, ...span(bytes, random, 4096))],
  ["with a head of noise", (bytes, random) => Buffer.concat([randomBytes(random, 100), bytes.subarray(100)])],
  ["that is text", () => Buffer.from("this is no database. ".repeat(1_000))],
];

/** A damaged database is refused and left as it is, or serves what can be read. Every answer has the documented form. */
export const damageCases = (seed: number, count: number): readonly Case[] =>
  numbered(count, (index) => {
    const random = randomOfCase(seed, index);
    const [name, harm] = DAMAGES[index % DAMAGES.length] ?? pick(random, DAMAGES);
    return {
      name: `a database ${name}`,
      async run() {
        using directories = openCaseDirectories();
        const ids = await seededState(directories.state);
        const path = join(directories.state, "sessions.db");
        writeFileSync(path, harm(readFileSync(path), random));
        const before = digestOf(directories.state);
        const args = [
          "--scenarios-dir",
          writeLoads(directories.path, "1"),
          "--state-dir",
          directories.state,
          "--log",
          "none",
        ];
        const served = await serve(args).catch(() => undefined);
        if (served === undefined) return await checkRefusal(directories.path, directories.state, before);
        await using _server = served;
        await checkAnswers(served, ids);
      },
    };
  });

async function checkRefusal(path: string, state: string, before: string): Promise<void> {
  const { status, stderr } = await abeval([
    "serve",
    "--addr",
    "127.0.0.1:0",
    "--scenarios-dir",
    path,
    "--state-dir",
    state,
  ]);
  hold(status === 2 && isOneLine(stderr), "a refusal in one line with exit status 2", { status, stderr });
  hold(digestOf(state) === before, "a refused directory to stay as it is", readdirSync(state, { recursive: true }));
}

async function checkAnswers({ url, log }: Served, ids: readonly string[]): Promise<void> {
  const paths = ["/api/sessions", ...ids.map((id) => `/api/sessions/${id}`)];
  const answers = await Promise.all([
    ...paths.map((path) => fetch(url + path)),
    fetch(`${url}/api/runs`, jsonPost({ scenario: "scripted" })),
  ]);
  for (const answer of answers) {
    const text = await answer.text();
    const known = answer.status === 200 || answer.status === 404 || /"code":"storage_(failed|full)"/.test(text);
    hold(known, "an answer, 404 or storage_failed", `${answer.status} ${text.slice(0, 300)} ${log()}`);
  }
  hold((await fetch(`${url}/api/health`)).status === 200, "the server to live");
  hold(!/internal error/.test(log()), "no internal error in the log", log());
}

function span(bytes: Buffer, random: Random, length: number): [from: number, to: number] {
  const from = whole(random, Math.max(1, bytes.length - length));
  return [from, Math.min(bytes.length, from + length)];
}

function noise(bytes: Buffer, random: Random, length: number): Buffer {
  const [from, to] = span(bytes, random, length);
  bytes.set(randomBytes(random, to - from), from);
  return bytes;
}

const randomBytes = (random: Random, length: number) => Uint8Array.from({ length }, () => whole(random, 256));

const COPY_DAMAGES: readonly (readonly [name: string, harm: (path: string, random: Random) => void])[] = [
  ["missing", (path) => rmSync(path)],
  ["empty", (path) => writeFileSync(path, "")],
  ["torn", (path, random) => writeFileSync(path, readFileSync(path).subarray(0, whole(random, 2_000)))],
  ["edited", (path) => writeFileSync(path, readFileSync(path, "utf8").replace("completed", "done"))],
  ["of noise", (path, random) => writeFileSync(path, randomBytes(random, 4_096))],
  ["valid JSON of another form", (path) => writeFileSync(path, "[1,2,3]")],
  ["a link to nowhere", replaceByLink],
];

/** The database is the truth. A damaged copy is written again at the next start. */
export const copyCases = (seed: number, count: number): readonly Case[] =>
  numbered(count, (index) => {
    const random = randomOfCase(seed, index);
    const [name, harm] = COPY_DAMAGES[index % COPY_DAMAGES.length] ?? pick(random, COPY_DAMAGES);
    return {
      name: `a JSON copy ${name}`,
      async run() {
        using directories = openCaseDirectories();
        const ids = await seededState(directories.state);
        const id = pick(random, ids);
        const path = join(directories.state, "sessions", `${id}.json`);
        const whole_copy = readFileSync(path, "utf8");
        harm(path, random);
        {
          using store = sqliteStore(directories.state, systemClock, systemEntropy);
          hold((await store.list()).length === ids.length, "the list to be whole", (await store.list()).length);
          hold(
            Bun.deepEquals(await readSession(store, id), JSON.parse(whole_copy)),
            "the session as the database has it",
          );
        }
        hold(readFileSync(path, "utf8") === whole_copy, "the copy to be written again", readFileSync(path, "utf8"));
        await checkStateDirectory(directories.state);
      },
    };
  });

function replaceByLink(path: string): void {
  rmSync(path);
  symlinkSync("/nonexistent/file", path);
}
