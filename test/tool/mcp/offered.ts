import { join } from "node:path";
import { openArmTools } from "../../../src/arms/tool/arm-tools.ts";
import type { ToolOutput } from "../../../src/arms/tool/tool.ts";
import type { Workspace } from "../../../src/arms/workspace/workspace.ts";
import type { McpServer } from "../../../src/domain/arm.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { never, openFixture } from "../../workspace/harness.ts";

/** The tools that the model of an arm would be offered. */
export interface Offer extends AsyncDisposable {
  readonly names: readonly string[];
  readonly bytes: number;
  readonly notices: readonly string[];
  readonly workspace: Workspace;
  call(name: string, input?: object, signal?: AbortSignal): Promise<ToolOutput>;
  /** Calls until the answer comes within the server's limit, which on a busy machine a good call may outlast. */
  inTime(name: string, input?: object): Promise<ToolOutput>;
}

/** The tools of these servers over a workspace of their own. */
export async function offered(installs: string, servers: readonly McpServer[]): Promise<Offer> {
  const pristine = openFixture({ "a.txt": "one\n" }, { kind: "bubblewrap" });
  const workspace = pristine.open();
  const notices: string[] = [];
  const launches = servers.map((server) => ({
    ...{ server, install: join(installs, server.install), workspace, network: "none" as const, read_only: [] },
    ...{ version: "0", clock: systemClock, notice: (line: string) => void notices.push(line) },
  }));
  const dispose = async () => await pristine[Symbol.asyncDispose]();
  try {
    const opened = await openArmTools(launches, never);
    const context = { workspace, timeout_ms: 20_000, max_output_bytes: 2_000, network: "none" } as const;
    const call: Offer["call"] = async (name, input = {}, signal = never) => {
      const tool = opened.tools.find((it) => it.name === name);
      if (!tool) throw new Error(`there is no ${name}`);
      return await tool.run(input, { ...context, signal });
    };
    return {
      ...{ names: opened.tools.map(({ name }) => name), bytes: opened.bytes, notices, workspace, call },
      inTime: async (name, input) => {
        for (;;) {
          const output = await call(name, input);
          if (!output.text.startsWith("[timed out")) return output;
        }
      },
      [Symbol.asyncDispose]: async () => {
        await opened[Symbol.asyncDispose]();
        await dispose();
      },
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}
