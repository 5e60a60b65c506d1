import { cut } from "../../../domain/excerpt.ts";
import { counted } from "../../../domain/number-text.ts";

export interface MadeTask {
  readonly task: string;
  /** The scenario's file, in the directory. */
  readonly scenario: string;
  /** Its reference fix passes its checks here, or there is none to show that they can be passed. */
  readonly reference: "passed" | "none";
  /** What it runs on, in the directory of images; absent: this machine. */
  readonly image?: string;
}

export interface RefusedTask {
  readonly task: string;
  readonly reason: string;
}

export type TaskResult = MadeTask | RefusedTask;

/** What became of each task of a set; `conversion.json` holds it. */
export interface Conversion {
  readonly made: readonly MadeTask[];
  readonly refused: readonly RefusedTask[];
  /** Absent when every task was tried. */
  readonly unfinished?: { readonly from: string; readonly waiting: number };
}

/** The table of made and refused, for people: reasons are counted, the most frequent first. */
export function conversionText(
  { made, refused }: Conversion,
  { directory, from, images }: { readonly directory: string; readonly from: string; readonly images: boolean },
): string {
  const passed = made.filter(({ reference }) => reference === "passed").length;
  const onImage = made.filter(({ image }) => image !== undefined).length;
  const rows = [
    ["made", made.length],
    ["  with a reference fix that passes its checks", passed],
    ["  without a reference fix", made.length - passed],
    ...(images
      ? ([
          ["  on an image of --images-dir", onImage],
          ["  on this machine: no image there is theirs", made.length - onImage],
        ] as const)
      : []),
    ["refused", refused.length],
    ...countedReasons(refused),
  ] as const;
  const table = rows.map(([words, count]) => `${String(count).padStart(6)}  ${words}\n`).join("");
  const next = made.length === 0 ? NOTHING : nextSteps(directory, made.length - passed);
  return `${counted(made.length + refused.length, "task")} of ${from}\n${table}${next}`;
}

/** Reasons that differ only in what follows the first colon are one row, with one task named. */
function countedReasons(refused: readonly RefusedTask[]): (readonly [words: string, count: number])[] {
  const kinds = Map.groupBy(refused, ({ reason }) => reason.split(": ", 1)[0] ?? "");
  const sorted = [...kinds].sort(([, a], [, b]) => b.length - a.length);
  return sorted.map(([kind, tasks]) => {
    const [first] = tasks;
    const detail = first?.reason.slice(kind.length + 2).split("\n", 1)[0] ?? "";
    return [`  ${cut(kind)} (${first?.task}${detail && `: ${cut(detail, DETAIL_CHARS)}`})`, tasks.length];
  });
}

/** Characters of the detail of a reason in the table; `conversion.json` has them all. */
const DETAIL_CHARS = 120;

const NOTHING = "\nNothing was written: no task can become a scenario here.\n";

function nextSteps(directory: string, unproven: number): string {
  const steps = [
    `${directory}/conversion.json names every task with its reason`,
    ...(unproven > 0
      ? [`nothing shows that the checks of ${unproven} can be passed: \`--check\` says more of each`]
      : []),
    "every file has the same two arms: make them what you want to compare",
    `abeval run ${directory}, with --model <provider>/<model>`,
  ];
  return `\nWritten: ${directory}. Next:\n${steps.map((step, index) => `  ${index + 1}. ${step}\n`).join("")}`;
}
