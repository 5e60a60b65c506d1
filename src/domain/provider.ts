import { type Static, Type } from "@sinclair/typebox";
import { record } from "./schema.ts";

export const Provider = record(
  "Provider",
  {
    provider: Type.String({ description: "Its models are named `<provider>/<model>`.", examples: ["anthropic"] }),
    here: Type.Boolean({
      description: "This server has a key for it, or needs none. Rejudges and self-tests call from here.",
    }),
    runs: Type.Boolean({
      description: "Runs can call it. With a database that is: some process that takes runs has it; else as `here`.",
    }),
    local: Type.Boolean({
      description: "A server on this machine, which needs no key; it is not checked whether it runs.",
    }),
    priced: Type.Array(Type.String(), { description: "Its models whose price this server knows, by full name." }),
  },
  { description: "Whether a provider can be called. No key is shown, and none is tried." },
);
export type Provider = Static<typeof Provider>;
