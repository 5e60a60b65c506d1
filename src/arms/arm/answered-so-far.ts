import { excerpt } from "../../domain/excerpt.ts";
import type { ArmEnd } from "./arm-end.ts";
import { type DecisionLog, oneLine } from "./decision-log.ts";
import type { ArmRun } from "./run-arm.ts";
import type { Stop } from "./stop.ts";

/** What an arm answers in a conversation: to its prompt, then to each follow-up. */
export class AnsweredSoFar {
  readonly #follow_ups: readonly string[] | undefined;
  readonly #log: DecisionLog;
  readonly #given: string[] = [];

  constructor(follow_ups: ArmRun["follow_ups"], log: DecisionLog) {
    this.#follow_ups = follow_ups;
    this.#log = log;
  }

  /** What the user says to the answer with which the arm would stop; undefined: the arm stops with it. */
  next({ stop_reason, final_answer }: Stop): string | undefined {
    if (stop_reason !== "final_answer" || final_answer === null) return undefined;
    const text = this.#follow_ups?.[this.#given.length];
    if (text === undefined) return undefined;
    this.#given.push(final_answer);
    this.#log.add("follow_up", { summary: oneLine(text), detail: { number: this.#given.length, text: excerpt(text) } });
    return text;
  }

  /** How the arm stopped, with all that it answered. The last answer is the final one, whatever stopped the arm. */
  all<Stopped extends Pick<ArmEnd, "final_answer">>(stop: Stopped): Stopped & Pick<ArmEnd, "answers"> {
    if (this.#follow_ups === undefined) return stop;
    const { final_answer } = stop;
    const answers = [...this.#given, ...(final_answer === null ? [] : [final_answer])];
    return { ...stop, final_answer: answers.at(-1) ?? null, answers };
  }
}
