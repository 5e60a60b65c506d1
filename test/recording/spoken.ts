import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Fetch } from "../../src/arms/model/provider-call.ts";
import { type Header, RECORDING_VERSION } from "../../src/arms/recording/lines.ts";
import { hashOf } from "../../src/arms/recording/matching/asked.ts";
import { normaliser } from "../../src/arms/recording/matching/normalise.ts";
import { readRecording } from "../../src/arms/recording/read-recording.ts";
import { Recorder } from "../../src/arms/recording/recorder.ts";
import { renewed } from "../../src/arms/recording/replay.ts";
import { Replayer } from "../../src/arms/recording/replayer.ts";
import { systemClock } from "../../src/runtime/clock.ts";

export const URL_ASKED = "http://gateway.example/proxy/v1/chat/completions?key=query-key";

export const HEADER: Header = {
  cassette: RECORDING_VERSION,
  ...{ abeval: "0.1.6", at: "2026-01-02T03:04:05.678Z", scenario: "small", of: "one", model: "gateway/m" },
  bound: { prompt: hashOf("a prompt") },
};

const unchanged = (text: string) => text;

export const recorderAt = (path: string, redact = unchanged, ignore: readonly string[] = []): Recorder =>
  new Recorder({ path, header: HEADER, clock: systemClock, redact, normalise: normaliser(redact, ignore) });

export async function replayerOf(path: string, ignore: readonly string[] = []): Promise<Replayer> {
  const normalise = normaliser(unchanged, ignore);
  return new Replayer(await renewed(await readRecording(path, "small/one.jsonl"), normalise), {
    normalise,
    version: "0.1.6",
  });
}

/** Asks as an SDK does. */
export const post = (send: Fetch, body: unknown, url = URL_ASKED): Promise<Response> =>
  send(url, { method: "POST", body: JSON.stringify(body), headers: { authorization: "Bearer header-key" } });

/** Records what a provider answers to these bodies, one after the other. */
export async function recordAll(
  path: string,
  bodies: readonly unknown[],
  answer: Fetch,
  ignore: readonly string[] = [],
): Promise<void> {
  const recorder = recorderAt(path, unchanged, ignore);
  await recorder.begin();
  const send = recorder.fetch(answer);
  for (const body of bodies) await (await post(send, body)).text();
  await recorder.end();
}

export const saying =
  (...texts: readonly string[]): Fetch =>
  async () =>
    new Response(texts.join(""), { headers: { "content-type": "application/json" } });

export const failureOf = async (asked: Promise<unknown>): Promise<unknown> =>
  await asked.then(
    () => undefined,
    (error: unknown) => error,
  );

/** Every byte below a directory. */
export const everyByte = (directory: string): string =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    .join("\n");
