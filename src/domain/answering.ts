import { type Static, Type } from "@sinclair/typebox";
import { record } from "./schema.ts";

/** Only variables of such names may be sent to an endpoint: a scenario could ask for any other. */
const ENDPOINT_VARIABLE = "^ABEVAL_ENDPOINT_[A-Z0-9_]{1,80}$";

const Sent = Type.Array(Type.String({ minLength: 1 }), {
  maxItems: 1_000,
  uniqueItems: true,
  description:
    "Columns of the inputs whose values it is sent. Default: those that no check, reference answer or criterion reads.",
});

export const ArmEndpoint = record(
  "ArmEndpoint",
  {
    url: Type.String({ minLength: 1, maxLength: 2_048, description: "http or https; it is asked by POST." }),
    headers_env: Type.Optional(
      Type.Record(
        Type.String({ pattern: "^[A-Za-z0-9-]{1,100}$" }),
        Type.String({ pattern: ENDPOINT_VARIABLE, description: "A variable of the environment, ABEVAL_ENDPOINT_…" }),
        { maxProperties: 20, description: "Headers, each with the variable that holds its value." },
      ),
    ),
    version: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: "What runs there. By it stored runs count again; without it none of another day does.",
      }),
    ),
    send: Type.Optional(Sent),
  },
  { description: "A deployed program that answers over HTTP, in the place of a model." },
);
export type ArmEndpoint = Static<typeof ArmEndpoint>;

const { url, headers_env } = ArmEndpoint.properties;

export const PostedCheck = record(
  "PostedCheck",
  {
    ...{ url, headers_env },
    version: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          "What checks there; another version is another check. Without it that of another day is another one.",
      }),
    ),
  },
  {
    description:
      "Where `{input, answer, steps, change}` is posted, and whose reply `{pass}`, or `{score}` with `score: true`, is the result.",
  },
);
export type PostedCheck = Static<typeof PostedCheck>;

export const ArmProgram = record(
  "ArmProgram",
  {
    run: Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      maxItems: 100,
      description: "Program and arguments; no shell reads them. It finds the request on stdin, and answers on stdout.",
    }),
    send: Type.Optional(Sent),
  },
  { description: "A program that answers in the sandbox, in the place of a model." },
);
export type ArmProgram = Static<typeof ArmProgram>;

interface MayAnswer {
  readonly endpoint?: ArmEndpoint | undefined;
  readonly program?: ArmProgram | undefined;
}

/** Whether somebody's own program answers for the arm, so that abeval asks no model. */
export const isAnswering = ({ endpoint, program }: MayAnswer): boolean =>
  endpoint !== undefined || program !== undefined;

/** Whether a model's name is that of such an arm. */
export const isAnsweringModel = (model: string): boolean => /^(endpoint|program)\//i.test(model);

/** An arm that may be deployed, or a check that may be posted. */
interface MayBeElsewhere {
  readonly endpoint?: ArmEndpoint | undefined;
  readonly posted?: PostedCheck | undefined;
}

/** Whether nobody said what runs there: tomorrow it may be another program. */
export const isUnversioned = ({ endpoint, posted }: MayBeElsewhere): boolean =>
  [endpoint, posted].some((named) => named !== undefined && named.version === undefined);

/**
 * What a deployed arm or a posted check is known by, whatever it is called: its version, and where it is, without the port of this machine,
 * which any start may draw anew. Without a version it is known by the day alone on which it ran; absent: whatever the day.
 */
export function identityOf<Named extends PostedCheck>(named: Named, day: string | undefined) {
  if (named.version === undefined) return day === undefined ? named : { ...named, day };
  const at = new URL(named.url);
  if (/^(localhost|127\.[\d.]+|\[::1\])$/.test(at.hostname)) at.port = "";
  return { ...named, url: at.href };
}
