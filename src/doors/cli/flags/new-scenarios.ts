import { faultOf } from "../../../arms/sandbox/open-sandbox.ts";
import type { Services } from "../../operation/operation.ts";
import { type FlagSpec, type ParsedArguments, UsageError } from "./parse-arguments.ts";

export const NEW_SCENARIO_FLAGS = {
  "allow-new-scenarios": {
    description:
      "let callers make and run scenarios of their own: prompts, rows, models, checks of answers; needs --allowed-origin",
  },
  "allow-commands": {
    description:
      "with --allow-new-scenarios: let these run commands in bubblewrap and name files, agents and addresses, as a scenario file may",
  },
} as const satisfies Record<string, FlagSpec>;

/** What callers may send. */
export interface NewScenarios {
  readonly commands: boolean;
}

interface Among {
  readonly origins: readonly string[];
  readonly worker: boolean;
}

/** Undefined: callers send none. A page of another site could send them, too, so that it must be said which may. @throws UsageError */
export function newScenarios(
  args: Pick<ParsedArguments<keyof typeof NEW_SCENARIO_FLAGS | "sandbox">, "has" | "value">,
  { origins, worker }: Among,
): NewScenarios | undefined {
  const commands = args.has("allow-commands");
  if (!args.has("allow-new-scenarios")) {
    if (commands) throw new UsageError("--allow-commands goes with --allow-new-scenarios: give both, or neither");
    return undefined;
  }
  if (worker) throw new UsageError("--allow-new-scenarios: a worker takes no requests; leave it out");
  if (origins.length === 0)
    throw new UsageError(
      "--allow-new-scenarios needs --allowed-origin: any page in a browser that reaches this server could send scenarios; self allows this server's own pages",
    );
  if (commands && args.value("sandbox") === "none")
    throw new UsageError("--allow-commands needs bubblewrap: leave out --sandbox none");
  return { commands };
}

/** @throws UsageError where bubblewrap does not work */
export async function demandBubblewrap({ sandboxes }: Pick<Services, "sandboxes">): Promise<void> {
  try {
    await sandboxes.choose("bubblewrap", true);
  } catch (error) {
    throw new UsageError(`--allow-commands needs bubblewrap: ${faultOf(error).reason}`);
  }
}
