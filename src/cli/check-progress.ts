import { plainText } from "../domain/plain-text.ts";
import { cells } from "./lanes.ts";
import { isTerminal } from "./terminal.ts";

/** The check that is being tried, on one line of a terminal that is gone when it ends. */
export interface CheckProgress extends Disposable {
  show(file: string, title: string): void;
}

const CLEAR = "\r\x1b[2K";

/** Shows nothing where nobody watches. */
export function checkProgress(wanted: boolean): CheckProgress {
  if (!wanted || !isTerminal(2)) return { show: () => undefined, [Symbol.dispose]: () => undefined };
  const write = (text: string) => void process.stderr.write(text);
  return {
    show: (file, title) => {
      const line = plainText(`${file}: ${title} ...`).replaceAll(/\s+/g, " ");
      write(`${CLEAR}${cells(line, (process.stderr.columns || 80) - 1)}`);
    },
    [Symbol.dispose]: () => write(CLEAR),
  };
}
