import { didYouMean } from "../../domain/did-you-mean.ts";
import { cut } from "../../domain/excerpt.ts";
import { Failure } from "../../domain/failure.ts";
import { counted } from "../../domain/number-text.ts";
import type { Scenario, ScenarioInput } from "../../domain/scenario.ts";
import type { SeriesMeasure } from "../../domain/series-record.ts";
import { Pace } from "../../runtime/pace.ts";

/** A scenario file, read and resolved. */
export interface LoadedScenario {
  readonly definition: Scenario;
  /** SHA-256 over the definition, which holds the digests of all bytes that it refers to. */
  readonly digest: string;
  /** The file as the caller named it. */
  readonly file: string;
  /** What its author wants a series to measure, and to compare with; outside the digest. */
  readonly asks?: SeriesAsks;
  /** Absolute; where the definition's directories start. */
  readonly directory: string;
  /** Absolute; has the files of each git tree below the tree's id. Absent: they are in the repository around `directory`. */
  readonly trees?: string;
  /** Absolute; the file with its rows. Absent: they stand in `file`, or there are none. */
  readonly inputs_file?: string;
  /** `<file>:<line>` of the row of inputs that it is. */
  readonly row_place?: string;
  /** Its inputs; the definition then holds templates. Absent: it has none, or is one of its rows. */
  readonly table?: InputTable;
  /** What its author should know, though it runs. */
  readonly warnings?: readonly string[];
  /** Looks for what its arms would find of what they are tested with. Absent: the files around it are not known. @throws Unusable */
  readonly findExposed?: (agents_dir?: string) => Promise<readonly Exposed[]>;
}

export interface SeriesAsks {
  readonly measure?: SeriesMeasure | undefined;
  /** Id of an arm. */
  readonly control?: string | undefined;
  /** Column of the inputs. */
  readonly cluster?: string | undefined;
}

/** What no arm may see, in a place where arms find it. */
export interface Exposed {
  /** The field of the scenario that gives it to them. */
  readonly among: string;
  /** A line for each of the files; at least one. */
  readonly found: readonly string[];
  /** What to write instead. */
  readonly mend: string;
}

/** The inputs of a scenario. */
interface InputTable {
  /** At least one row; each has its own id. */
  readonly rows: readonly ScenarioInput[];
  /** The scenario with the values of a row in its texts. @throws Failure `invalid_scenario` */
  readonly resolve: (row: ScenarioInput) => Promise<LoadedScenario>;
}

/**
 * What one run is about: the scenario, or the row of its inputs that `input` names.
 * @throws Failure `invalid_request` where an input is missing, unknown or too many
 */
export async function oneMember(loaded: LoadedScenario, input: string | undefined): Promise<LoadedScenario> {
  const { table, file } = loaded;
  if (!table) {
    if (input === undefined) return loaded;
    throw refused(`${file} has no inputs; leave out input "${cut(input)}"`);
  }
  const row = table.rows.find(({ id }) => id === input);
  if (row) return await table.resolve(row);
  const ids = table.rows.map(({ id }) => id);
  const known = `${ids.slice(0, SHOWN_IDS).join(", ")}${ids.length > SHOWN_IDS ? ` and ${ids.length - SHOWN_IDS} more` : ""}`;
  if (input !== undefined)
    throw refused(`${file} has no input "${cut(input)}"${didYouMean(input, ids)}; its inputs are ${known}`);
  throw refused(
    `${file} has ${counted(ids.length, "input")}: name one as \`input\` (${known}), or run them all as a series`,
  );
}

const SHOWN_IDS = 10;

const refused = (message: string) => new Failure("invalid_request", message, { details: { field: "input" } });

/** What a series of it runs: the scenario, or every row of its inputs. @throws Failure `invalid_scenario` */
export async function membersOf(loaded: LoadedScenario): Promise<readonly LoadedScenario[]> {
  const { table } = loaded;
  if (!table) return [loaded];
  const members: LoadedScenario[] = [];
  const pace = new Pace();
  for (const row of table.rows) {
    members.push(await table.resolve(row));
    await pace.units(ROW_UNITS);
  }
  return members;
}

/** Filling a row takes as long as looking at so many entries of a directory. */
const ROW_UNITS = 10;

/** Where the files lie that a definition refers to. */
export type ScenarioPlace = Pick<LoadedScenario, "directory" | "trees">;
