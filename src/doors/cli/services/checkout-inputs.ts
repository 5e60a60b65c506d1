import { resolve } from "node:path";
import type { LoadedScenario } from "../../../comparison/scenario/loaded-scenario.ts";
import type { Baseline, BundleFile } from "../../../domain/baseline.ts";
import type { CheckoutInput } from "../../../domain/checkout-input.ts";
import type { NamedInput } from "../../../domain/editable-inputs.ts";
import { pinnedFile } from "../../../domain/pinned-file.ts";
import type { Ran } from "../../../domain/ran.ts";
import type { RunArguments } from "../flags/run-flags.ts";
import type { PreparedServices } from "./services.ts";

interface Read {
  /** Files and directories that the scenarios depend on. */
  readonly sources?: Iterable<string>;
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
  { value }: Pick<RunArguments, "value">,
  { in_ci, replayed_from }: Pick<PreparedServices, "in_ci" | "replayed_from">,
  read: Read,
): Promise<CheckoutInput[] | undefined> {
  const base = value("base");
  if (base === undefined && !in_ci) return undefined;
  const { inputsFromCheckout } = await import("../../../comparison/scenario/git/checkout.ts");
  const inputs = [...namedInputs(read), ...flagInputs({ value }, replayed_from, read)];
  return await inputsFromCheckout(inputs, { here: process.cwd(), base });
}

function namedInputs({ sources = [], scenarios = [], baseline, results }: Read): NamedInput[] {
  return [
    ...[...sources].map((path) => ({ input: "scenario", path }) as const),
    ...scenarios.flatMap(logsOf),
    ...(results ? [results] : []),
    ...(typeof baseline === "object" && baseline.file ? [bundleInput(baseline.file)] : []),
  ];
}

const logsOf = ({ definition, directory, file }: LoadedScenario): NamedInput[] =>
  definition.arms
    .flatMap(({ ran }) => (ran ? filesOf(ran, file) : []))
    .map((path) => ({ input: "log", path: resolve(directory, path) }));

function bundleInput({ shown, sha256, pinned }: BundleFile): NamedInput {
  const { path, ref } = pinnedFile(shown);
  return { input: "baseline", path, ref, sha256, ...(pinned && { pinned: true }) };
}

/** A run can stand in the scenario file itself. */
const filesOf = ({ log, patch, files, answer }: Ran, scenario: string): readonly string[] => [
  resolve(scenario),
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
  const [prices, state_dir] = [value("prices"), value("state-dir")];
  if (prices !== undefined) yield { input: "prices", path: prices };
  // Whatever is read there may have been committed: trials that count, or runs that stand in.
  if (state_dir !== undefined && (typeof baseline === "string" || value("continue") !== undefined))
    yield { input: "state_dir", path: resolve(state_dir, "sessions.db") };
}
