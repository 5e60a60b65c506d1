import { setTimeout as sleep } from "node:timers/promises";
import type { RunEvent } from "../src/domain/event.ts";
import type { SessionOutcome } from "../src/domain/session.ts";
import type { Verdict } from "../src/domain/verdict.ts";
import { startAbeval } from "../test/abeval.ts";
import type { FakeProvider } from "../test/fake-provider/fake-provider.ts";
import { type Served, serve } from "../test/http/served.ts";
import { jsonPost } from "../test/http/service.ts";
import { type Case, hold } from "./campaign.ts";
import { checkGone, checkScratch, openCaseDirectories } from "./case-directories.ts";
import { checkStateDirectory } from "./invariants.ts";
import { LOADS, writeLoads } from "./load.ts";
import { pick, type Random, whole } from "./random.ts";

const SERVE_SPAN_MS = 1_000;
/** Share of the kills that are timed from the start of the server. The others are timed from the first accepted run. */
const EARLY = 0.2;
const START_SPAN_MS = 150;
const RUNS = 5;

/** Everything that the server has acknowledged. */
interface Acknowledged {
  /** The server was killed, so that connections break. */
  killed: boolean;
  readonly ids: Set<string>;
  /** Resolves with the first id, or when no more can come. */
  readonly first: PromiseWithResolvers<void>;
  readonly events: RunEvent[];
  readonly rejudged: Verdict[];
}

/** Kills a server with runs, readers and rejudges in flight. Some cases also kill its next start. */
export function killServe(random: Random, provider: FakeProvider): Case {
  const after_ms = whole(random, SERVE_SPAN_MS);
  const early = random() < EARLY;
  const again_ms = random() < 0.25 ? whole(random, START_SPAN_MS) : undefined;
  const names = Array.from({ length: RUNS }, () => pick(random, LOADS));
  const marker = `${process.pid}${whole(random, 1_000_000_000)}`;
  const recovery = again_ms === undefined ? "" : ` and its next start after ${again_ms} ms`;
  return {
    name: `serve with ${names.join(", ")} killed ${after_ms} ms after ${early ? "its start" : "its first answer"}${recovery}`,
    async run() {
      using directories = openCaseDirectories();
      const args = ["--scenarios-dir", writeLoads(directories.path, marker), "--state-dir", directories.state];
      const env = { ...provider.environment, TMPDIR: directories.scratch };
      const said: Acknowledged = {
        killed: false,
        ids: new Set(),
        first: Promise.withResolvers(),
        events: [],
        rejudged: [],
      };
      await using served = await serve(args, env);
      const clients = names.map((name) => client(served, name, said));
      if (!early) await said.first.promise;
      await sleep(after_ms);
      said.killed = true;
      await served.stop("SIGKILL");
      await Promise.all(clients);
      await checkGone(marker);
      const killed = [served.child.pid];
      if (again_ms !== undefined) killed.push(await killStart(args, env, again_ms));
      await checkNextStart(args, env, said);
      checkScratch(directories, killed);
      await checkStateDirectory(directories.state);
    },
  };
}

/** Starts a run, reads its stream and asks for a second verdict, until the server is killed. */
async function client({ url }: Served, scenario: string, said: Acknowledged): Promise<void> {
  try {
    const started = await fetch(`${url}/api/runs/async`, jsonPost({ scenario }));
    const { session_id } = (await started.json()) as { session_id: string };
    said.ids.add(session_id);
    said.first.resolve();
    const stream = await fetch(`${url}/api/runs/${session_id}/stream`);
    await readEvents(stream, said.events);
    const arms = { arm_a: { session_id, arm_id: "left" }, arm_b: { session_id, arm_id: "right" } };
    const answer = await fetch(`${url}/api/verdicts`, jsonPost({ ...arms, judge_model: "builtin/evidence" }));
    if (answer.ok) said.rejudged.push((await answer.json()) as Verdict);
  } catch (error) {
    if (!said.killed) throw error;
  }
}

async function readEvents(stream: Response, events: RunEvent[]): Promise<void> {
  if (!stream.ok || stream.body === null) return;
  let text = "";
  for await (const chunk of stream.body.pipeThrough(new TextDecoderStream())) {
    const frames = (text + chunk).split("\n\n");
    text = frames.pop() ?? "";
    for (const frame of frames) if (frame.startsWith("data: ")) events.push(JSON.parse(frame.slice("data: ".length)));
  }
}

async function killStart(args: readonly string[], env: Readonly<Record<string, string>>, after_ms: number) {
  const child = startAbeval(["serve", "--addr", "127.0.0.1:0", ...args], { env });
  await sleep(after_ms);
  child.kill("SIGKILL");
  await child.exited;
  return child.pid;
}

/** The next server has everything that was acknowledged, and stops with 0. */
async function checkNextStart(args: readonly string[], env: Readonly<Record<string, string>>, said: Acknowledged) {
  await using served = await serve([...args, "--log", "none"], env);
  const read = async (id: string) => {
    const response = await fetch(`${served.url}/api/sessions/${id}`);
    hold(response.status === 200, `${id}, which was acknowledged, to be there`, await response.clone().text());
    return (await response.json()) as SessionOutcome;
  };
  for (const id of said.ids) checkSession(await read(id), said);
  const { status } = await served.stop();
  const { signalCode } = served.child;
  hold(status === 0, "the next server to stop with 0", { status, signalCode, asked: said.ids.size, log: served.log() });
}

function checkSession(session: SessionOutcome, said: Acknowledged): void {
  const { session_id, state, decisions, verdict, verdicts } = session;
  hold(state === "completed" || state === "interrupted", `${session_id} completed or interrupted`, state);
  for (const event of said.events.filter((event) => event.session_id === session_id)) {
    if (event.event === "decision") {
      const stored = decisions[event.arm_id]?.[event.decision.seq - 1];
      hold(Bun.deepEquals(stored, event.decision), "each streamed decision to be stored", event.decision);
    }
    if (event.event === "verdict_ready")
      hold(Bun.deepEquals(verdict, event.verdict), "the streamed verdict to be stored", verdict);
  }
  for (const { verdict_id, arm_a } of said.rejudged)
    if (arm_a.session_id === session_id)
      hold(
        verdicts.some((stored) => stored.verdict_id === verdict_id),
        "each rejudged verdict to be stored",
        verdicts,
      );
}
