import { MAX_QUEUED } from "../../../domain/defaults.ts";
import { NO_PRICES, type PriceList } from "../../../domain/price-list.ts";
import type { FlagSpec, ParsedArguments } from "./arguments.ts";
import { DATABASE_FLAG, databaseSettings, SHARING_FLAGS } from "./database-flags.ts";
import { REPLAY_FLAGS, recordingSettings } from "./recording-flags.ts";
import { AGENTS_FLAG, SANDBOX_FLAGS, sandboxSettings } from "./sandbox-flags.ts";

/** Of run, serve and mcp. */
const PRICES_FLAG = {
  prices: {
    value: "<file>",
    description: "what models cost: YAML, <provider>/<model>: {in: 3, out: 15, cached_in: 0.3}, USD per million tokens",
  },
} as const satisfies Record<string, FlagSpec>;

/** @throws Failure `invalid_request` with the mistakes of the file. */
async function readPrices(args: Pick<ParsedArguments<"prices">, "value">): Promise<PriceList> {
  const path = args.value("prices");
  if (path === undefined) return NO_PRICES;
  const { loadPriceList } = await import("../../../comparison/scenario/load-price-list.ts");
  return await loadPriceList(path);
}

/** Flags that belong to run, serve and mcp alike. */
export const SHARED_FLAGS = {
  "state-dir": {
    value: "<path>",
    description: "keep sessions here (sessions.db and sessions/*.json); default: memory",
  },
  ...DATABASE_FLAG,
  ...SANDBOX_FLAGS,
  ...AGENTS_FLAG,
  ...PRICES_FLAG,
  ...REPLAY_FLAGS,
  "keep-workspaces": { description: "leave each arm's files on disk and say where" },
} as const satisfies Record<string, FlagSpec>;

type SharedArguments = Pick<ParsedArguments<keyof typeof SHARED_FLAGS>, "value" | "values" | "has">;

/** What these flags say. @throws Failure `invalid_request` as `readPrices` does */
export const sharedSettings = async (args: SharedArguments) => ({
  state_dir: args.value("state-dir"),
  database: databaseSettings(args),
  sandbox: sandboxSettings(args),
  agents_dir: args.value("agents-dir"),
  prices: await readPrices(args),
  recordings: recordingSettings(args),
  keep_workspaces: args.has("keep-workspaces"),
});

/** Flags of serve and mcp, which run scenarios that somebody else may have put there. */
export const SERVER_FLAGS = {
  ...SHARED_FLAGS,
  ...SHARING_FLAGS,
  "allow-git-fixtures": {
    description: "fixtures and prompts may come from the git repository around the scenarios",
  },
  "max-cost-per-day": {
    value: "<usd>",
    usd: true,
    description:
      "refuse a run that could push the UTC day's cost over this; counts all who share the sessions, also after a restart",
  },
} as const satisfies Record<string, FlagSpec>;

type ServerArguments = Omit<ParsedArguments<keyof typeof SERVER_FLAGS | "scenarios-dir">, "parameters" | "given">;

/** What these flags say. @throws Failure as `sharedSettings` does */
export const serverSettings = async (args: ServerArguments) => ({
  ...(await sharedSettings(args)),
  database: databaseSettings(args, args),
  scenarios_dir: args.value("scenarios-dir") ?? "scenarios",
  max_cost_per_day_usd: args.usd("max-cost-per-day"),
  git_fixtures: args.has("allow-git-fixtures"),
  max_queued: MAX_QUEUED,
});
