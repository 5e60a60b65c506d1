import { columnsWith } from "../../domain/listed-columns.ts";
import { SUBJECT_CHARS } from "../series-rows.ts";

// What databases of earlier versions get is told here as it was; `domain/listed-columns.ts` tells what they get now.

const at = (path: string) => `json_extract(listing, '$.${path}')`;

const SEARCHED = ["session_id", "title", "arms[0].arm_id", "arms[0].model", "arms[1].arm_id", "arms[1].model"]
  .concat("judge_model", "state", "outcome", "winner")
  .map(at);

/** Null where the type is another: a hand may have changed what is stored. */
const real = (path: string) => `CASE WHEN json_type(listing, '$.${path}') IN ('integer', 'real') THEN ${at(path)} END`;
const text = (path: string) => `CASE WHEN json_type(listing, '$.${path}') = 'text' THEN ${at(path)} END`;

/** Those that were added first. */
const COLUMNS: Readonly<Record<string, readonly [type: string, value: string]>> = {
  searched: ["TEXT", `lower(concat_ws(' ', ${SEARCHED.join(", ")}))`],
  result: ["TEXT", `coalesce(${text("outcome")}, state)`],
  outcome: ["TEXT", text("outcome")],
  model_a: ["TEXT", text("arms[0].model")],
  model_b: ["TEXT", text("arms[1].model")],
  judge: ["TEXT", text("judge_model")],
  gap: ["REAL", `abs(${real("arms[0].score")} - ${real("arms[1].score")})`],
  cost: ["REAL", real("cost_usd")],
  duration: ["REAL", real("wall_ms")],
  conflict: ["INTEGER", "0"],
};

const FIRST_NAMES = Object.keys(COLUMNS);
/** What 0.1.6 stored of a whole session, as listings have it now. */
const OF_CREATED = [
  ["title", "definition.title"],
  ["scenario_digest", "scenario_digest"],
  ["cost_usd", "totals.cost_usd"],
  ["wall_ms", "totals.wall_ms"],
  ["arms[0].score", "verdict.score_a"],
  ["arms[1].score", "verdict.score_b"],
].map(([to, from]) => `'$.${to}', json_extract(created.entry, '$.session.${from}')`);

/**
 * Adds the columns, and an index that holds all of them: a list is chosen and put in order without reading the listings of the
 * other sessions. It does what the indexes by scenario and by state did.
 */
export const ADD_LISTED_COLUMNS = `
  UPDATE sessions SET listing = json_set(listing, ${OF_CREATED.join(", ")})
    FROM entries AS created
    WHERE created.session_id = sessions.session_id AND created.n = 1
      AND json_valid(listing) AND json_type(listing, '$.arms[1]') = 'object'
      AND json_valid(created.entry) AND json_type(created.entry, '$.session.definition.title') = 'text';
  ${Object.entries(COLUMNS)
    .map(([name, [type]]) => `ALTER TABLE sessions ADD COLUMN ${name} ${type};`)
    .join("\n")}
  UPDATE sessions SET ${Object.entries(COLUMNS)
    .map(([name, [, value]]) => `${name} = ${value}`)
    .join(", ")} WHERE json_valid(listing);
  DROP INDEX sessions_by_scenario;
  DROP INDEX sessions_by_state;
  ${indexOf(FIRST_NAMES)}`;

/** No session before was asked for by somebody with a name. */
export const ADD_USERS = `
  ALTER TABLE sessions ADD COLUMN asked_by TEXT;
  DROP INDEX sessions_listed;
  ${indexOf([...FIRST_NAMES, "asked_by"])}`;

function indexOf(names: readonly string[]): string {
  return `CREATE INDEX sessions_listed ON sessions (position, scenario, state, series_id, ${names.join(", ")});`;
}

const TYPES = { text: "TEXT", number: "REAL", flag: "INTEGER" } as const;

/** The statements that give a database with the `known` columns those that it lacks; none where it has them all. */
export function missingColumns(known: readonly unknown[]): readonly string[] {
  const all = columnsWith("kept");
  const missing = all.filter(([name]) => !known.includes(name));
  if (missing.length === 0) return [];
  const others = all.map(([name]) => name).filter((name) => !IN_EVERY_INDEX.has(name));
  return [
    ...missing.map(([name, { kept }]) => `ALTER TABLE sessions ADD COLUMN ${name} ${TYPES[kept.type]}`),
    "DROP INDEX sessions_listed",
    indexOf(["searched", ...others]),
  ];
}

const IN_EVERY_INDEX: ReadonlySet<string> = new Set(["scenario", "state", "series_id"]);

/** What a ledger counts; earlier series are known by the names of their scenarios, and each is a comparison. */
export const ADD_SERIES_LEDGER: readonly string[] = [
  ...["subject TEXT", "compared TEXT", "claimed INTEGER"].map((column) => `ALTER TABLE series ADD COLUMN ${column}`),
  `UPDATE series SET compared = series_id,
    subject = substr((SELECT group_concat(name, ' ') FROM
      (SELECT DISTINCT json_extract(value, '$.scenario') AS name FROM json_each(series, '$.plan.scenarios'))), 1, ${SUBJECT_CHARS}),
    claimed = json_extract(series, '$.standing.conclusion') IN ('a_preferred', 'b_preferred')
    WHERE json_valid(series) AND json_type(series, '$.plan.scenarios') = 'array'`,
  "CREATE INDEX series_by_subject ON series (subject, compared, claimed)",
];
