import { type GridRow, trialWorkOf } from "../../domain/cell.ts";
import { type Contest, isContest } from "../../domain/contest.ts";
import { didYouMean } from "../../domain/did-you-mean.ts";
import { cut } from "../../domain/excerpt.ts";
import {
  cellWords,
  questionLines,
  rowWords,
  type ShownRows,
  shownTitle,
  workLabel,
  workText,
} from "../../domain/grid-words.ts";
import { type Member, memberName, memberWord, withInputId } from "../../domain/member.ts";
import { plainText } from "../../domain/plain-text.ts";
import type { Series } from "../../domain/series.ts";
import type { SessionOutcome } from "../../domain/session.ts";
import { type ArmNames, wordsText } from "../../domain/words.ts";
import { version } from "../../runtime/version.ts";
import { namesOf } from "../../statistics/series-words.ts";
import { contestMembers, contestRows, tellingContestRows } from "../operation/contest-grid.ts";
import { findSeries } from "../operation/find-series.ts";
import { gridRows, tellingRows } from "../operation/grid.ts";
import { findSession } from "../operation/reads.ts";
import { whyNoVerdict } from "../report/reported.ts";
import { EXIT, exitCodeOfCommand } from "./exit-code.ts";
import { CONFIG_FLAGS, configuredArguments } from "./flags/configured.ts";
import { type CommandSpec, UsageError } from "./flags/parse-arguments.ts";
import { demandStoredSessions, openStoredSessions } from "./services/services.ts";
import { Painter } from "./terminal/paint.ts";
import { summariseContest, summariseSeries } from "./terminal/series-text.ts";
import { summarise } from "./terminal/summary.ts";
import { hanging, jsonText, stdoutWidth, writeStdout } from "./terminal/terminal.ts";

export const SHOW = {
  name: "abeval show",
  usage: "abeval show <id> [row] [flags]",
  description:
    "Shows a stored session or series: what it found, and what each arm left. Of a series the rows that differ come first; with a row,\n" +
    "its name or the id of its input, all that is kept of that one.",
  examples: [
    "abeval show series-20260102T030405678Z-0123abcd --state-dir .abeval",
    "abeval show series-20260102T030405678Z-0123abcd 'shop-answers[return-shoes]' --state-dir .abeval",
    "abeval show session-pager-20260102T030405678Z --database-url postgres://abeval@db.example.com/abeval",
  ],
  parameters: ["id"],
  variadic: true,
  flags: {
    "state-dir": { value: "<path>", description: "the directory that holds the sessions" },
    "database-url": { value: "<url>", description: "the database that holds them (default: ABEVAL_DATABASE_URL)" },
    ...CONFIG_FLAGS,
    json: { description: "print the session, the series, or the row as JSON" },
  },
} as const satisfies CommandSpec<string>;

/** Rows of a series that are told. */
const SHOWN = 20;

/** `abeval show`: returns the exit status. */
export const command = (args: readonly string[]): Promise<number> =>
  exitCodeOfCommand(SHOW.name, async () => {
    const parsed = await configuredArguments(SHOW, args);
    const [id, row] = askedFor(parsed.parameters);
    const state_dir = parsed.value("state-dir");
    if (state_dir !== undefined) demandStoredSessions(state_dir);
    await using opened = await openStoredSessions(parsed);
    const services = { store: opened.store, version };
    const shown = isSession(id) ? await shownSession(services, id) : await shownSeries(services, id, row);
    const text = parsed.has("json") ? jsonText(shown.value) : plainText(shown.text());
    return (await writeStdout(text)) ? EXIT.done : EXIT.failed;
  });

/** @throws UsageError */
function askedFor([id = "", row, ...more]: readonly string[]): readonly [id: string, row: string | undefined] {
  if (more.length > 0) throw new UsageError(`unexpected "${cut(more[0] ?? "")}"; usage: ${SHOW.usage}`);
  if (isSession(id) && row !== undefined) throw new UsageError(`a session has no rows: leave "${cut(row)}" out`);
  return [id, row];
}

const isSession = (id: string) => id.startsWith("session-");

interface Shown {
  readonly value: object;
  readonly text: () => string;
}

type Stored = Parameters<typeof findSeries>[0];

const PAINTER = new Painter(false);

async function shownSession(services: Stored, id: string): Promise<Shown> {
  const outcome = await findSession(services.store, id);
  const [a, b] = outcome.arms;
  const found = summarise(outcome, PAINTER) || `No verdict: ${whyNoVerdict(outcome)}\n`;
  const text = () => `${found.trimStart()}${lines(wholeRow(rowOf(outcome), { a: a.arm_id, b: b.arm_id }))}`;
  return { value: outcome, text };
}

/** The session as if it were the one trial of a row. */
const rowOf = (outcome: SessionOutcome): GridRow => ({
  ...{ scenario: outcome.scenario, ...withInputId(outcome.input?.id), trial: outcome.trial?.trial ?? 1 },
  ...{ session_id: outcome.session_id, ...trialWorkOf(outcome) },
  ...{ outcome: outcome.verdict?.outcome ?? null, winner: outcome.verdict?.winner ?? null },
});

async function shownSeries(services: Stored, id: string, row: string | undefined): Promise<Shown> {
  const report = await (await findSeries(services, id)).report();
  return await (isContest(report) ? shownContest(services, report, row) : shownTwoArms(services, report, row));
}

async function shownTwoArms({ store }: Stored, series: Series, row: string | undefined): Promise<Shown> {
  const { scenarios, series_id } = series;
  const names = namesOf(series.arms);
  if (row !== undefined) return rowShown(await gridRows(store, series, [memberNamed(scenarios, row)]), names);
  const telling = await tellingRows(store, series, SHOWN);
  const text = () =>
    lines(rowLines(telling, { series_id, names })) + summariseSeries(series, { painter: PAINTER, again: undefined });
  return { value: series, text };
}

async function shownContest({ store }: Stored, contest: Contest, row: string | undefined): Promise<Shown> {
  const { series_id } = contest;
  const names = null;
  if (row !== undefined)
    return rowShown(await contestRows(store, contest, [memberNamed(contestMembers(contest), row)]), names);
  const telling = await tellingContestRows(store, contest, SHOWN);
  const text = () =>
    lines(rowLines(telling, { series_id, names })) + summariseContest(contest, { painter: PAINTER, again: undefined });
  return { value: contest, text };
}

function rowShown([found]: readonly GridRow[], names: ArmNames | null): Shown {
  return { value: found ?? {}, text: () => lines(found ? wholeRow(found, names) : []) };
}

/** @throws UsageError */
function memberNamed<M extends Member>(scenarios: readonly M[], row: string): M {
  const named = scenarios.filter((member) => memberName(member) === row);
  const found = named.length > 0 ? named : scenarios.filter(({ input, scenario }) => row === (input ?? scenario));
  const [member, other] = found;
  if (member && other === undefined) return member;
  const names = (found.length > 0 ? found : scenarios).map(memberName);
  if (found.length > 0) throw new UsageError(`"${cut(row)}" is more than one row: ${names.slice(0, 3).join(", ")}`);
  throw new UsageError(`there is no row "${cut(row)}"${didYouMean(row, names) || `; the first is ${names[0]}`}`);
}

const lines = (all: readonly string[]) => `${all.join("\n")}\n`;

interface Told {
  readonly series_id: string;
  /** Null: more than two arms. */
  readonly names: ArmNames | null;
}

/** The rows of a series, each with a line for each arm. */
function rowLines({ rows, total }: ShownRows, { series_id, names }: Told): string[] {
  const width = stdoutWidth();
  return [
    `${shownTitle(rows.length, total, memberWord(rows))}:`,
    ...rows.flatMap((row) => [
      ...hanging("", `${memberName(row)}: ${wordsText(rowWords(row, names))}`, width),
      ...row.cells.flatMap((cell) => hanging("  ", oneLine(wordsText(cellWords(cell, names))), width)),
    ]),
    ...hanging("", `What they left: abeval show ${series_id} ${quoted(rows[0])}, with --state-dir as here`, width),
  ];
}

/** As a shell takes it. */
const quoted = (row: GridRow | undefined) => `'${row ? memberName(row).replaceAll("'", `'"'"'`) : "<row>"}'`;

/** All that is kept of a row. */
function wholeRow(row: GridRow, names: ArmNames | null): string[] {
  return [
    `${memberName(row)}: ${wordsText(rowWords(row, names))}`,
    ...questionLines(row).map((line) => `  ${oneLine(line)}`),
    ...row.cells.flatMap((cell) => [
      "",
      `${oneLine(wordsText(cellWords(cell, names)))}. ${workLabel(cell)}${workText(cell) === null ? "." : ":"}`,
      ...(workText(cell)?.trimEnd().split("\n") ?? []).map((line) => `    ${line}`),
    ]),
    ...(row.session_id === undefined ? [] : ["", `session: ${sessionsOf(row).join(", ")}`]),
  ];
}

/** Of a contest those that have the runs of its arms. */
const sessionsOf = ({ session_id, cells }: GridRow) => [
  ...new Set([session_id, ...cells.flatMap((cell) => cell.session_id ?? [])]),
];

const oneLine = (text: string) => plainText(text).replace(/\s+/g, " ");
