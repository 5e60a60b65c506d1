import { cut } from "../../../domain/excerpt.ts";
import { plainText } from "../../../domain/plain-text.ts";
import { checkProgress } from "../check-scenarios.ts";
import { isTerminal } from "../terminal/terminal.ts";
import type { TaskResult } from "./conversion.ts";

/** Tells how far a set is: in one line of a terminal, and elsewhere in a line for each task. */
interface SetProgress extends Disposable {
  began(task: string, doing: string): void;
  ended(result: TaskResult): void;
}

/** Characters of a reason in a line; `conversion.json` has them all. */
const REASON_CHARS = 160;

export function setProgress(
  wanted: boolean,
  { from, total, before }: { readonly from: string; readonly total: number; readonly before: readonly TaskResult[] },
): SetProgress {
  const live = checkProgress(wanted);
  const count = { done: before.length, made: before.filter((result) => "scenario" in result).length };
  const isLive = isTerminal(2);
  return {
    began: (task, doing) => live.show(from, `${count.done} of ${total} tried, ${count.made} made; ${task}: ${doing}`),
    ended: (result) => {
      count.done += 1;
      if ("scenario" in result) count.made += 1;
      const became =
        "scenario" in result ? "made" : `refused: ${cut(result.reason.split("\n", 1)[0] ?? "", REASON_CHARS)}`;
      if (wanted && !isLive)
        process.stderr.write(`${plainText(`${count.done} of ${total}  ${result.task}  ${became}`)}\n`);
    },
    [Symbol.dispose]: () => live[Symbol.dispose](),
  };
}
