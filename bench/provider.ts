import { wellFormed } from "../test/judge/mock-judge.ts";

/** A provider that takes almost no time and keeps nothing, so that the program is what is measured. */
export interface BenchProvider extends AsyncDisposable {
  /** Milliseconds from the arrival of a request to its answer. */
  delay_ms: number;
  readonly url: URL;
  /** Variables that lead the provider `openai` here. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface Pace {
  readonly delay_ms?: number;
  /** Model turns of an arm; all but the last list files. */
  readonly turns?: number;
  /** The judge finds that nobody is better, in place of refusing. */
  readonly tie?: boolean;
  /** Awaited before a judge's answer. */
  readonly judging?: () => Promise<void>;
}

/** Speaks OpenAI's chat completions. An arm says hello; a judge refuses, so that it is asked once in each order. */
export function startBenchProvider({ delay_ms = 0, turns = 1, tie = false, judging }: Pace = {}): BenchProvider {
  const answers = { judge: completion("refusal"), more: completion("calls"), done: completion("text") };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const due = performance.now() + provider.delay_ms;
      const body = await request.text();
      const judge = body.includes('"tool_choice"');
      if (judge) await judging?.();
      const last = body.split('"role":"assistant"').length >= turns;
      if (provider.delay_ms > 0) await Bun.sleep(due - performance.now());
      const verdict = () => (tie ? completion("calls", judgement(body)) : answers.judge);
      const answer = judge ? verdict() : last ? answers.done : answers.more;
      return new Response(answer, { headers: { "content-type": "application/json" } });
    },
  });
  const provider: BenchProvider = {
    delay_ms,
    url: server.url,
    environment: { OPENAI_BASE_URL: `${server.url}v1`, OPENAI_API_KEY: "bench-key-0123456789" },
    [Symbol.asyncDispose]: () => server.stop(true),
  };
  return provider;
}

interface Called {
  readonly name: string;
  readonly arguments: string;
}

function completion(kind: "text" | "calls" | "refusal", called: Called = { name: "list_files", arguments: "{}" }) {
  const list = { id: "call_1", type: "function", function: called };
  const message = {
    text: { content: "Hello." },
    calls: { content: "", tool_calls: [list] },
    refusal: { content: null, refusal: "no" },
  }[kind];
  const finish_reason = kind === "calls" ? "tool_calls" : "stop";
  return JSON.stringify({
    id: "chatcmpl-1",
    object: "chat.completion",
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason }],
    usage: { prompt_tokens: 20, completion_tokens: 3, total_tokens: 23 },
  });
}

/** Equal scores for both, in good form. */
function judgement(body: string): Called {
  const { messages } = JSON.parse(body) as { messages: readonly { role: string; content: string }[] };
  const [system, user] = ["system", "user"].map(
    (wanted) => messages.find(({ role }) => role === wanted)?.content ?? "",
  );
  const request = { system: system ?? "", messages: [{ role: "user" as const, text: user ?? "" }] };
  return { name: "submit_judgement", arguments: JSON.stringify(wellFormed(request, () => ({}))) };
}
