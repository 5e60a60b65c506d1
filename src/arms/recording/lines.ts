import { type Static, Type } from "@sinclair/typebox";
import { Count, Timestamp } from "../../domain/schema.ts";
import type { JsonLimits } from "../../runtime/bounded-json.ts";

/** The version of the file format. */
export const RECORDING_VERSION = 1;

/** Bytes of a file, and of one line of it. The longest recordings of today's agents have some megabytes. */
export const MAX_RECORDING_BYTES = 256 * 1024 * 1024;
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

/**
 * The values of one line and of the part of a request that is in it. A request that is passed on has 100,000 values at most, and
 * one part of it takes three values of a line. A reply is one text in which each quotation mark is escaped.
 */
export const LINE_LIMITS: JsonLimits = { bytes: MAX_LINE_BYTES, values: 400_000, escapes: 8_000_000 };

/** The characters of a name in the header, which messages show. */
const NAME_CHARS = 1_000;

/** What later versions add is no fault. */
const line = <P extends Parameters<typeof Type.Object>[0]>(properties: P) =>
  Type.Object(properties, { additionalProperties: true });

const Hash = Type.String({ pattern: "^[0-9a-f]{32}$" });

/** The first line: what was recorded, and what it holds for. */
export const Header = line({
  cassette: Type.Literal(RECORDING_VERSION),
  abeval: Type.String({ maxLength: NAME_CHARS, description: "Version that recorded." }),
  at: Timestamp("When the recording began."),
  scenario: Type.String({ maxLength: NAME_CHARS }),
  of: Type.String({ maxLength: NAME_CHARS, description: "Id of the arm, or `judge`." }),
  model: Type.String({ maxLength: NAME_CHARS, description: "`<provider>/<model>`, for people." }),
  bound: Type.Record(Type.String(), Hash, { description: "What the arm saw, or which judge it is, by its name." }),
  seed: Type.Optional(Type.String({ pattern: "^[0-9a-f]{32}$", description: "Of what a judge's prompts draw." })),
});
export type Header = Static<typeof Header>;

/** A part of requests, once in a file, before the first exchange that has it. */
export const PartLine = line({ part: Hash, text: Type.String({ description: "Normalised JSON." }) });
export type PartLine = Static<typeof PartLine>;

/** One request with the provider's reply, whatever its status: a client that tried again tries again in the replay. */
export const Exchange = line({
  n: Type.Integer({ minimum: 1 }),
  method: Type.String(),
  path: Type.String(),
  key: Hash,
  parts: Type.Array(Type.Tuple([Type.String(), Hash])),
  status: Type.Integer({ minimum: 200, maximum: 599 }),
  type: Type.String({ description: "Content type." }),
  ms: Count("Milliseconds until the reply was whole."),
  retry_after_ms: Type.Optional(Count("What the provider asked to wait.")),
  should_retry: Type.Optional(Type.Union([Type.Literal("true"), Type.Literal("false")])),
  body: Type.String(),
});
export type Exchange = Static<typeof Exchange>;
