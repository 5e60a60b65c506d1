import { Value } from "@sinclair/typebox/value";
import fc from "fast-check";
import type { ModelRequest } from "../src/arms/model/client.ts";
import { openJudge } from "../src/comparison/judge/open-judge.ts";
import { BYTES_PER_TOKEN, MAX_EVIDENCE_TOKENS } from "../src/domain/defaults.ts";
import { Verdict } from "../src/domain/verdict.ts";
import { buildCase } from "../test/judge/build-case.ts";
import {
  called,
  countingEntropy,
  fixedClock,
  mockJudge,
  scoringJudge,
  slotsOf,
  spoken,
  userText,
} from "../test/judge/mock-judge.ts";
import { type Campaign, type Case, hold } from "./campaign.ts";
import { HIDDEN_NAMES, type HostileOutput, hostileOutput, partsOf } from "./hostile-output.ts";

const OUTPUTS = 1_000;
const REPLIES = 200;
const SLOWEST_MS = 3_000;

/**
 * The judge reads what an arm says, writes and prints, and how it names its files, as marked text and as nothing else. A
 * judge's reply that is no answer is refused at once.
 */
export const campaign: Campaign = {
  about: `${OUTPUTS} hostile arm outputs against the judge's views, ${REPLIES} hostile replies of a judge`,
  at_once: 1,
  cases: async ({ seed, count }) => [
    ...fc.sample(hostileOutput, { seed, numRuns: count(OUTPUTS) }).map(outputCase),
    ...fc.sample(hostileReply, { seed, numRuns: count(REPLIES) }).map(replyCase),
  ],
};

/** Pieces of JSON that open and do not close, up to millions of characters. */
const hostileReply = fc
  .tuple(
    fc.array(fc.constantFrom("{", "}", "[", '"', "\\", ",", ":", '{"a":', '"echo"', "\n", " ", "é"), {
      minLength: 1,
      maxLength: 6,
    }),
    fc.integer({ min: 1, max: 3_000_000 }),
  )
  .map(([pieces, length]) => {
    const piece = pieces.join("");
    return piece.repeat(Math.ceil(length / piece.length));
  });

const replyCase = (text: string): Case => ({
  name: `reply of ${text.length} characters, ${JSON.stringify(text.slice(0, 40))}`,
  async run() {
    for (const reply of [spoken(text), called(text)]) {
      const began = performance.now();
      const [model, clock, entropy] = [mockJudge(() => reply), fixedClock(), countingEntropy()];
      const judgeCase = openJudge({ model, model_name: "mock/judge", clock, entropy });
      const { outcome } = await judgeCase(buildCase(), new AbortController().signal);
      hold(performance.now() - began < SLOWEST_MS, `to be refused within ${SLOWEST_MS} ms`);
      hold(outcome === "invalid", "no answer to be found", outcome);
    }
  },
});

const outputCase = (output: HostileOutput): Case => ({
  name: `output ${JSON.stringify(output.answer.slice(0, 80))}`,
  async run() {
    const judge = scoringJudge(() => ({}));
    const began = performance.now();
    const judgeCase = openJudge({
      model: judge,
      model_name: "mock/judge",
      clock: fixedClock(),
      entropy: countingEntropy(),
    });
    const verdict = await judgeCase(buildCase(partsOf(output)), new AbortController().signal);
    hold(performance.now() - began < SLOWEST_MS, `a verdict within ${SLOWEST_MS} ms`);
    const misfit = [...Value.Errors(Verdict, verdict)].map(({ path, message }) => `${path} ${message}`);
    hold(misfit.length === 0, "a verdict of the documented form", misfit);
    for (const request of judge.requests) checkPrompt(request);
    const [ab, ba] = judge.requests.map(slotsOf);
    hold(ab?.[0]?.evidence === ba?.[1]?.evidence, "the first arm to look the same in both orders");
    hold(ab?.[1]?.evidence === ba?.[0]?.evidence, "the second arm to look the same in both orders");
  },
});

/** Control and format characters and lone surrogates, except newline and tab. */
const UNSEEN = /[\p{Cf}\p{Cs}]|[^\P{Cc}\n\t]/u;

const FENCED = /^BEGIN EVIDENCE ([0-9a-f]+) candidate \S+ mark (\S+)\n([\s\S]*?)\nEND EVIDENCE \1$/gm;

function checkPrompt(request: ModelRequest): void {
  const text = userText(request);
  const candidates = [...text.matchAll(FENCED)];
  hold(candidates.length === 2, "two candidates and no fence that an arm made", candidates.length);
  for (const [, nonce = "", mark = "", lines = ""] of candidates) {
    const unmarked = lines.split("\n").filter((line) => !line.startsWith(mark) && !/^SECTION [0-9a-f]+/.test(line));
    hold(unmarked.length === 0, "every line of evidence to carry its mark", unmarked);
    hold(!shownWithoutHeads(lines, mark).includes(nonce), "the fence's number to be known to no arm");
    hold(Buffer.byteLength(lines) <= MAX_EVIDENCE_TOKENS * BYTES_PER_TOKEN, "evidence within its budget");
    hold(!UNSEEN.test(lines), "no character that a reader does not see", UNSEEN.exec(lines)?.[0].codePointAt(0));
  }
  const narrative = slotsOf(request).map(({ evidence }) => evidence.toLowerCase());
  for (const name of HIDDEN_NAMES)
    hold(!narrative.some((shown) => shown.includes(name)), `the name ${name} to be hidden`, name);
}

const shownWithoutHeads = (lines: string, mark: string) =>
  lines
    .split("\n")
    .filter((line) => line.startsWith(mark))
    .join("\n");
