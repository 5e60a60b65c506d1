import { type Static, Type } from "@sinclair/typebox";
import { Count, Digest, nullable, oneOf, record, Slug, Timestamp } from "./schema.ts";
import { FileSet } from "./task.ts";

const LOG_FORMS = ["atif", "claude-code", "codex"] as const;
export type LogForm = (typeof LOG_FORMS)[number];

export const NamedFile = record("NamedFile", {
  file: Type.String({ description: "Relative to the scenario file." }),
  digest: Digest("SHA-256 of its bytes."),
});
export type NamedFile = Static<typeof NamedFile>;

export const RanUsage = record("RanUsage", {
  tokens_in: Type.Optional(Count("All input, cache reads and writes included.")),
  tokens_out: Type.Optional(Count("Output.")),
  cost_usd: Type.Optional(Type.Number({ minimum: 0, description: "US dollars." })),
});
export type RanUsage = Static<typeof RanUsage>;

export const Ran = record(
  "Ran",
  {
    log: Type.Optional(NamedFile),
    patch: Type.Optional(NamedFile),
    files: Type.Optional(FileSet),
    answer: Type.Optional(Type.Union([NamedFile, Type.String()], { description: "A file, or the answer itself." })),
    usage: Type.Optional(RanUsage),
  },
  { description: "An imported run that is used for the arm. Absent: the arm runs." },
);
export type Ran = Static<typeof Ran>;

/** What somebody paid for an arm here and now. Null where it is unknown. */
export const paidFor = ({ imported, shared, cost_usd }: MadeElsewhere & { cost_usd: number | null }): number | null =>
  imported === undefined && shared === undefined ? cost_usd : 0;

interface MadeElsewhere {
  readonly imported?: unknown;
  readonly shared?: unknown;
}

/** Whether abeval saw nothing of an arm's run. What a stored run did, it saw. */
export const ranElsewhere = ({ imported }: { readonly imported?: { readonly run?: unknown } | undefined }): boolean =>
  imported !== undefined && imported.run === undefined;

/** Whether the model is that of a run made elsewhere: nobody is asked. */
export const isImported = (model: string): boolean => /^imported\//i.test(model);

export const StoredRun = record(
  "StoredRun",
  {
    session_id: Type.String({ pattern: "^session-[A-Za-z0-9._-]+$" }),
    arm_id: Slug(),
    at: Timestamp("When that session was accepted."),
  },
  { description: "Where a stored run of an arm comes from." },
);
export type StoredRun = Static<typeof StoredRun>;

export const ImportedFrom = record(
  "ImportedFrom",
  {
    form: nullable(oneOf(LOG_FORMS), { description: "Of its log; null without a log." }),
    agent: nullable(Type.String(), { description: "The agent that ran it, as its log says." }),
    version: nullable(Type.String(), { description: "Of the agent." }),
    at: nullable(Timestamp("When it began."), { description: "Null where the log does not say." }),
    broken_off: Type.Optional(Type.Literal(true, { description: "The log ends in the middle of a line." })),
    no_change: Type.Optional(
      Type.Literal(true, { description: "Nobody said what it changed: `changes` is null, and no check ran." }),
    ),
    run: Type.Optional(StoredRun),
  },
  { description: "The arm did not run here. Absent: it did." },
);
export type ImportedFrom = Static<typeof ImportedFrom>;
