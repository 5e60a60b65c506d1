import { setTimeout as sleep } from "node:timers/promises";
import type { RunEvent } from "../src/domain/event.ts";
import type { Served } from "../test/http/served.ts";
import type { StoredEntry } from "../test/postgres/fleet.ts";
import { problemsOfStream } from "../test/postgres/whole-logs.ts";

/** What one reader of a run heard, over all servers that it had to ask. */
export interface Followed {
  readonly session_id: string;
  readonly events: RunEvent[];
  /** A server told the reader that the run was over, or could not read it. */
  left: boolean;
}

const AGAIN_MS = 50;

/** Follows a run to its end as a browser does: after a break it asks again, with the id of the last event. */
export async function follow(front: () => Served, session_id: string, isOver: () => boolean): Promise<Followed> {
  const heard: Followed = { session_id, events: [], left: false };
  let last = "";
  while (!isOver()) {
    const headers: Record<string, string> = last === "" ? {} : { "last-event-id": last };
    const path = `/api/runs/${session_id}/stream?ids=1`;
    const answer = await fetch(front().url + path, { headers }).catch(() => undefined);
    if (answer?.ok) last = (await read(answer, heard.events)) || last;
    else heard.left ||= answer !== undefined && answer.status !== 503;
    if (heard.left || isEnd(heard.events.at(-1))) return heard;
    await sleep(AGAIN_MS);
  }
  return { ...heard, left: true };
}

/** Reads until the stream ends or breaks. Gives the id of the last event. */
async function read(answer: Response, events: RunEvent[]): Promise<string> {
  let [text, last] = ["", ""];
  try {
    for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const frames = (text + chunk).split("\n\n");
      text = frames.pop() ?? "";
      for (const frame of frames) {
        const data = /^data: (.*)$/m.exec(frame)?.[1];
        if (data === undefined) continue;
        events.push(JSON.parse(data) as RunEvent);
        last = /^id: (.*)$/m.exec(frame)?.[1] ?? last;
      }
    }
  } catch {
    // The server was stopped.
  }
  return last;
}

const isEnd = (event: RunEvent | undefined) => event?.event === "verdict_ready" || event?.event === "session_failed";

/** What is wrong with what a reader heard. One that left heard no end. */
export const problemsOfFollowed = ({ events, left }: Followed, log: readonly StoredEntry[]): readonly string[] =>
  left ? [] : problemsOfStream(events, log);
