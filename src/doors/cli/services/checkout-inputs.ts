import { resolve } from "node:path";
import type { LoadedScenario } from "../../../comparison/scenario/loaded-scenario.ts";
import type { Baseline, BundleFile } from "../../../domain/baseline.ts";
import type { CheckoutInput } from "../../../domain/checkout-input.ts";
import type { NamedInput } from "../../../domain/editable-inputs.ts";
import { pinnedFile } from "../../../domain/pinned-file.ts";
import type { Ran } from "../../../domain/ran.ts";
import { postedChecks } from "../../../domain/task.ts";
import type { RunArguments } from "../flags/run-flags.ts";
import type { PreparedServices } from "./services.ts";

interface Read {
  /** Files and directories that the scenarios depend on. */
  readonly sources?: Iterable<string>;
  /** What the scenarios read from commits. */
  readonly committed?: readonly NamedInput[] | undefined;
  readonly scenarios?: readonly LoadedScenario[];
  /** Read from a file, or the id of a stored series. */
  readonly baseline?: Baseline | string | undefined;
  readonly results?: NamedInput;
}

/**
 * What the author of a change could have edited of all that a command reads; undefined where nothing is known of that.
 * @throws Failure `invalid_request` for a --base that there is not
 */
export async function checkoutInputs(
  { value, config = [] }: Pick<RunArguments, "value" | "config">,
  { in_ci, replayed_from }: Pick<PreparedServices, "in_ci" | "replayed_from">,
  read: Read,
): Promise<CheckoutInput[] | undefined> {
  const base = value("base");
  if (base === undefined && !in_ci) return undefined;
  const { inputsFromCheckout } = await import("../../../comparison/scenario/git/checkout.ts");
  const defaults = config.map((path) => ({ input: "config", path }) as const);
  const inputs = [...namedInputs(read), ...defaults, ...flagInputs({ value }, replayed_from, read)];
  return await inputsFromCheckout(inputs, { here: process.cwd(), base, in_ci });
}

function namedInputs({ sources = [], committed = [], scenarios = [], baseline, results }: Read): NamedInput[] {
  return [
    ...[...sources].map((path) => ({ input: "scenario", path }) as const),
    ...committed,
    ...[...new Set(scenarios.flatMap(logsOf))].map((path) => ({ input: "log", path }) as const),
    ...scenarios.flatMap(endpointsIn),
    ...(results ? [results] : []),
    ...(typeof baseline === "object" && baseline.file ? bundleInputs(baseline.file) : []),
  ];
}

/** Whoever can edit the file says who is asked. */
const endpointsIn = ({ definition, file }: LoadedScenario): NamedInput[] =>
  [...definition.arms.map(({ endpoint }) => endpoint), ...postedChecks(definition.task).map(({ posted }) => posted)]
    .filter((asked) => asked !== undefined)
    .map(({ url }) => ({ input: "endpoint", path: resolve(file), told_as: url }));

/** A run can stand in the scenario file itself, and in a row of its inputs. */
const logsOf = ({ definition, directory, file, inputs_file = file }: LoadedScenario): string[] =>
  definition.arms
    .flatMap(({ ran }) => (ran ? [resolve(file), resolve(inputs_file), ...filesOf(ran)] : []))
    .map((path) => resolve(directory, path));

function* bundleInputs({ shown, sha256, pinned, kept }: BundleFile): Generator<NamedInput> {
  yield { ...pinnedFile(shown), input: "baseline", sha256, ...(pinned && { pinned: true }) };
  if (kept !== undefined) yield { input: "state_dir", path: kept, committed: true };
}

const filesOf = ({ log, patch, files, answer }: Ran): readonly string[] => [
  ...[log, patch].flatMap((one) => one?.file ?? []),
  ...(files?.dir ? [files.dir] : []),
  ...(typeof answer === "object" ? [answer.file] : []),
];

function* flagInputs(
  { value }: Pick<RunArguments, "value">,
  replayed_from: string | undefined,
  { baseline }: Read,
): Generator<NamedInput> {
  if (replayed_from !== undefined) yield { input: "recording", path: replayed_from };
  const [prices, agents_dir, state_dir] = [value("prices"), value("agents-dir"), value("state-dir")];
  if (prices !== undefined) yield { input: "prices", path: prices };
  if (agents_dir !== undefined) yield { input: "scenario", path: agents_dir };
  if (state_dir === undefined) return;
  // Whatever is read there may have been committed: trials that count, runs that stand in, self-tests of the judge.
  const counts = typeof baseline === "string" || value("continue") !== undefined;
  for (const name of DATABASE_FILES)
    yield { input: "state_dir", path: resolve(state_dir, name), ...(!counts && { committed: true }) };
}

/** SQLite takes pages from the two others, too. */
const DATABASE_FILES = ["sessions.db", "sessions.db-wal", "sessions.db-journal"];
