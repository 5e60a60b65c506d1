import type { SeenRequest } from "../fake-provider/exchange.ts";
import { playScript } from "../fake-provider/play-script.ts";
import { type Judgement, type Slot, slotsOf, wellFormed } from "../judge/mock-judge.ts";

/** What this judge thinks of an arm. It knows the arm by a text in its evidence. */
export interface Opinion {
  readonly knownBy: string;
  /** The text by which it knows the arm when words are withheld. */
  readonly knownInCode: string;
  readonly scores: Readonly<Record<string, number>>;
  readonly notes: Readonly<Record<string, string>>;
  readonly citations: readonly { readonly kind: string; readonly ref: string; readonly quote: string }[];
}

/** A judge with fixed opinions, whatever the order. It answers in the form that is asked for. */
export const judgeWith = (opinions: readonly Opinion[]) =>
  playScript({ scriptOf: () => undefined, judge: (request) => judgementOf(request, opinions) });

function judgementOf(seen: SeenRequest, opinions: readonly Opinion[]): Judgement {
  const request = seen as unknown as Parameters<typeof slotsOf>[0]; // what is read of it, system and messages, both have
  const judgement = wellFormed(request, (slot, ids) => {
    const { scores } = opinionOn(slot, opinions);
    return Object.fromEntries(ids.map((id) => [id, scores[id] ?? 2]));
  });
  for (const slot of slotsOf(request)) {
    const { notes, citations } = opinionOn(slot, opinions);
    const words = !isWithheld(slot);
    for (const entry of judgement.candidates[slot.label]?.criteria ?? []) {
      entry.note = notes[entry.id] ?? "As the evidence shows.";
      if (words) entry.evidence = [...citations];
    }
  }
  judgement.rationale =
    "One change can be reviewed in minutes; the other asks for an afternoon. What both do is right.";
  return judgement;
}

const isWithheld = ({ evidence }: Slot) => evidence.includes("[withheld]");

function opinionOn(slot: Slot, opinions: readonly Opinion[]): Opinion {
  const { evidence } = slot;
  const opinion = opinions.find(({ knownBy, knownInCode }) =>
    evidence.includes(isWithheld(slot) ? knownInCode : knownBy),
  );
  if (!opinion) throw new Error(`no opinion on:\n${evidence}`);
  return opinion;
}

/** For `extract-rate-limit`: the small change is better, but the other arm's module reads better. */
export const RATE_LIMIT_OPINIONS: readonly Opinion[] = [
  {
    knownBy: "+import { createRateLimit }",
    knownInCode: "const announceLimit",
    scores: { restraint: 4, module: 3, review: 4 },
    notes: {
      restraint: "Every line that changed belongs to the move.",
      module: "Right and short; the name of what it returns has to be guessed.",
      review: "It names the order of checks and counting as the thing to look at.",
    },
    citations: [
      { kind: "decision", ref: "#4", quote: "The three blocks differ in key, limit and window only." },
      { kind: "diff", ref: "src/rate-limit.ts:7", quote: "Counts a call by `key`" },
      { kind: "probe", ref: "behaviour", quote: "behaviour: pass" },
      { kind: "answer", ref: "final", quote: "Please look at the place of each call" },
    ],
  },
  {
    knownBy: "The limit becomes a small class",
    knownInCode: "type RateLimit }",
    scores: { restraint: 1, module: 4, review: 2 },
    notes: {
      restraint: "Most of what changed has nothing to do with the limit.",
      module: "A small class that counts down; as plain as it can be.",
      review: "It describes the change and leaves the reviewer to find the risk.",
    },
    citations: [{ kind: "decision", ref: "#5", quote: "The limit becomes a small class" }],
  },
];
