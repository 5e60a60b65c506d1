import { type Static, Type } from "@sinclair/typebox";
import { Count, oneOf, record } from "./schema.ts";

export const Health = record(
  "Health",
  {
    status: Type.Literal("ok"),
    version: Type.String(),
    uptime_ms: Count("Milliseconds since the server started."),
    database: Type.Optional(
      oneOf(["reachable", "unreachable"], {
        description: "Whether the shared database answered within half a second; absent without one.",
      }),
    ),
  },
  { examples: [{ status: "ok", version: "0.1.6", uptime_ms: 1234 }] },
);
export type Health = Static<typeof Health>;
