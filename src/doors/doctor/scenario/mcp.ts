import { serversOf } from "../../../comparison/planning/mcp-tools.ts";
import { counted } from "../../../domain/number-text.ts";
import { type Check, IDLE, pass, warn } from "../check.ts";
import type { DeclaredScenario } from "../services.ts";
import type { DryRun } from "./dry-run.ts";

/** Larger lists of tools make every turn of the arm noticeably more expensive. */
const MANY_TOOLS = 40;
const MANY_BYTES = 32_000;

/** Costs nothing, and finds before a run what would refuse it. */
export const mcpStart: Check<DryRun> = {
  id: "mcp.start",
  title: "MCP servers start",
  needs: ["fixture.setup"],
  async run(dryRun, signal) {
    const arms = dryRun.loaded.definition.arms.filter((arm) => serversOf(arm).length > 0);
    if (arms.length === 0) return pass(IDLE.no_mcp);
    const sizes: { readonly text: string; readonly isLarge: boolean }[] = [];
    for (const arm of arms) {
      const opened = await dryRun.mcpTools(arm, signal);
      const { tools = [], bytes = 0 } = opened ?? {};
      await opened?.[Symbol.asyncDispose]();
      const text = `${arm.id}: ${counted(tools.length, "tool")}, ${(bytes / 1000).toFixed(1)} kB of descriptions`;
      sizes.push({ text, isLarge: tools.length >= MANY_TOOLS || bytes >= MANY_BYTES });
    }
    const detail = sizes.map(({ text }) => text).join("; ");
    if (sizes.every(({ isLarge }) => !isLarge)) return pass(detail);
    return warn(`${detail}; every turn sends them`, "list only the tools that the task needs in the server's `tools`");
  },
};

/** Warns of rules that cannot see what an MCP server does. */
export const mcpRules: Check<DeclaredScenario> = {
  id: "mcp.rules",
  title: "Rules cover MCP tools",
  run({ loaded }) {
    const { arms, policies } = loaded.definition;
    if (arms.every((arm) => serversOf(arm).length === 0)) return pass(IDLE.no_mcp);
    const { commands, paths } = policies;
    const blind = [
      commands.deny.length > 0 && "commands.deny",
      commands.allow !== null && "commands.allow",
      !paths.writable.includes("**") && "paths.writable",
    ].filter((rule) => rule !== false);
    if (blind.length === 0) return pass("no rule applies to them");
    return warn(
      `${blind.join(", ")} cannot stop what a server does; changed files are compared afterwards`,
      "list only allowed tools in the server's `tools`",
    );
  },
};
