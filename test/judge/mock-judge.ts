import type { ModelClient, ModelReply, ModelRequest } from "../../src/arms/model/client.ts";
import type { Clock, Entropy } from "../../src/runtime/clock.ts";

/** A slot as a judge reads it. */
export interface Slot {
  readonly label: string;
  readonly evidence: string;
  readonly index: 0 | 1;
}

export interface Scores {
  readonly [criterion: string]: number;
}

/** A judge that answers in good form; only its scores are its own. */
export function scoringJudge(scoresOf: (slot: Slot, ids: readonly string[]) => Scores): MockJudge {
  return mockJudge((request) => called(wellFormed(request, scoresOf)));
}

export interface MockJudge extends ModelClient {
  readonly requests: ModelRequest[];
}

export function mockJudge(reply: (request: ModelRequest, attempt: number) => ModelReply): MockJudge {
  const requests: ModelRequest[] = [];
  return {
    ref: "mock/judge",
    requests,
    complete: async (request) => {
      requests.push(request);
      return reply(request, requests.length);
    },
  };
}

export const called = (input: unknown): ModelReply => ({
  ...SILENT,
  stop: "calls",
  calls: [{ id: "c1", name: "submit_judgement", input }],
});

export const spoken = (text: string): ModelReply => ({ ...SILENT, text });

export const SILENT: ModelReply = {
  text: "",
  calls: [],
  stop: "end",
  stop_reason: "end",
  tokens_in: 1000,
  tokens_out: 100,
  cached_tokens: 400,
  model_served: "judge-2026",
};

export interface Judgement {
  echo: string;
  candidates: Record<string, { criteria: Entry[]; concerns: string[]; injection_suspected: boolean }>;
  preference: string;
  strength: string;
  deciding_criteria: string[];
  rationale: string;
}
interface Entry {
  id: string;
  evidence: { kind: string; ref: string; quote: string }[];
  note: string;
  score: number;
}

type Asked = Pick<ModelRequest, "system" | "messages">;

/** A complete answer to this request; the preference follows the mean of the scores. */
export function wellFormed(request: Asked, scoresOf: (slot: Slot, ids: readonly string[]) => Scores): Judgement {
  const ids = criterionIds(request);
  const slots = slotsOf(request);
  const scored = slots.map((slot) => ({ slot, scores: scoresOf(slot, ids) }));
  const totals = scored.map(({ scores }) => ids.reduce((sum, id) => sum + (scores[id] ?? 2), 0));
  const [one = 0, other = 0] = totals;
  const tie = one === other;
  return {
    echo: echoOf(request),
    candidates: Object.fromEntries(
      scored.map(({ slot, scores }) => [
        slot.label,
        {
          criteria: ids.map((id) => ({
            id,
            evidence: [citationFor(slot)],
            note: `note on ${slot.label}`,
            score: scores[id] ?? 2,
          })),
          concerns: [],
          injection_suspected: false,
        },
      ]),
    ),
    preference: tie ? "tie" : (slots[one > other ? 0 : 1]?.label ?? ""),
    strength: tie ? "none" : "clear",
    deciding_criteria: tie ? [] : ids.slice(0, 1),
    rationale: `${slots.map(({ label }) => label).join(" against ")}, by the change.`,
  };
}

/** Cites the first line of the list of changes, or of an answer that is the work: every view has one of them. */
function citationFor({ evidence }: Slot): Entry["evidence"][number] {
  const lines = evidence.split("\n");
  const line = lines.find((text) => /^(?:modified|added|deleted) |^No file was changed/.test(text));
  if (line === undefined) return { kind: "answer", ref: "final", quote: (lines[1] ?? "").slice(0, 160) };
  const ref = line.startsWith("No file") ? "none" : (line.split(" ")[1] ?? "");
  return { kind: "diff", ref, quote: line };
}

export const userText = ({ messages }: Asked): string =>
  messages.flatMap((message) => (message.role === "user" ? [message.text] : [])).join("\n");

export function slotsOf(request: Asked): Slot[] {
  const block = /^BEGIN EVIDENCE ([0-9a-f]+) candidate (\S+) mark (\S+)\n([\s\S]*?)\nEND EVIDENCE \1$/gm;
  return [...userText(request).matchAll(block)].map(([, , label = "", mark = "", lines = ""], index) => ({
    label,
    index: index === 0 ? 0 : 1,
    evidence: lines
      .split("\n")
      .map((line) => line.replace(`${mark} `, "").replace(/^SECTION [0-9a-f]+/, "SECTION"))
      .join("\n"),
  }));
}

const echoOf = ({ system }: Asked) => /Verification code: (\w+)/.exec(system)?.[1] ?? "";

function criterionIds(request: Asked): string[] {
  const rubric = /# Rubric\n([\s\S]*?)\n\n/.exec(userText(request))?.[1] ?? "";
  return [...rubric.matchAll(/^- (\S+) \(weight/gm)].map(([, id = ""]) => id);
}

/** Ticks forward by one millisecond a reading. */
export function fixedClock(): Clock {
  let ticks = 0;
  return {
    now: () => new Date("2026-01-01T00:00:00.000Z"),
    ticks: () => {
      ticks += 1;
      return ticks;
    },
  };
}

/** Different at each draw, the same in each test. */
export function countingEntropy(): Entropy {
  let draw = 0;
  return (bytes) => {
    draw += 1;
    const hasher = new Bun.CryptoHasher("sha256");
    return hasher
      .update(String(draw))
      .digest("hex")
      .slice(0, bytes * 2);
  };
}
