import type { ModelRequest } from "../../src/arms/model/client.ts";
import { judgementOf, type Talk } from "../session/series.ts";
import type { Action, SeenRequest } from "./exchange.ts";
import { type FakeProvider, startFakeProvider } from "./fake-provider.ts";

/** Serves the arms and the judge of `talkText(name, "gateway")` over HTTP: each run says something new. */
export function startTalkProvider({ judge, before }: Omit<Talk, "alike">): Promise<FakeProvider> {
  const runs = new Map<string, number>();
  const signal = new AbortController().signal;
  return startFakeProvider({
    reply: async (request): Promise<Action> => {
      const { model } = request;
      const tool = request.force_tool ?? request.tools[0]?.name;
      if (tool !== undefined) return { calls: [{ name: tool, input: judgementOf(asAsked(request), judge) }] };
      const run = (runs.get(model) ?? 0) + 1;
      runs.set(model, run);
      await before?.(model, run, signal);
      return { text: `arm ${model} says ${run}` };
    },
  });
}

const asAsked = (request: SeenRequest) => request as unknown as ModelRequest; // what is read of it, system and messages, both have
