import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { ANSWER_CHARS } from "../../domain/defaults.ts";
import { asRecord } from "../../domain/lenient.ts";
import type { ScenarioInput } from "../../domain/scenario.ts";
import { explain } from "../../domain/schema-error.ts";
import type { Task } from "../../domain/task.ts";
import { wholeJson } from "../../domain/whole-json.ts";
import { boundedJsonInSteps, isMalformed, NO_UTF8 } from "../../runtime/bounded-json.ts";
import { steadily } from "../../runtime/pace.ts";
import { strictText } from "../../runtime/strict-text.ts";
import type { ArmRun } from "../arm/run-arm.ts";

/** The name of what is asked and answered. A later one is asked for by name, too. */
const PROTOCOL = "abeval/answer/1";

/** Bytes of a reply, as they come. */
export const REPLY_BYTES = 4 * 1024 * 1024;

/** Steps that a reply may tell of. */
const MOST_STEPS = 2_000;

/** What all turns of a run say of it. */
export interface AskedFor {
  readonly scenario: string;
  /** The row, of which the arm is sent only the columns that it may know; null: the scenario has no inputs. */
  readonly input: ScenarioInput | null;
  /** From 1. */
  readonly trial: number;
  /** The same for both arms of a trial. */
  readonly seed: string;
  /** Nothing is compared: somebody tries whether the arm answers. */
  readonly rehearsal?: true;
}

export type SaidSoFar = NonNullable<Task["messages"]>;

/** @param follow_up how many follow-ups of the task were said before; 0: the prompt is asked */
export const requestOf = (asked: AskedFor, messages: SaidSoFar, follow_up: number): Uint8Array =>
  new TextEncoder().encode(wholeJson({ protocol: PROTOCOL, ...asked, messages, follow_up }));

/** An answer that cannot be used: the arm's own doing. The message names the field, and quotes at most a line. */
export class UnusableAnswer extends Error {
  override readonly name = "UnusableAnswer";
  /** What the arm's end is called. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export const wrongShape = (message: string) => new UnusableAnswer("wrong_answer_shape", message);

const Used = Type.Object({
  tokens_in: Type.Optional(Type.Integer({ minimum: 0 })),
  tokens_out: Type.Optional(Type.Integer({ minimum: 0 })),
  cost_usd: Type.Optional(Type.Number({ minimum: 0 })),
});

const Step = Type.Object({
  kind: Type.Optional(Type.String({ maxLength: 100 })),
  name: Type.Optional(Type.String({ maxLength: 200 })),
  input: Type.Optional(Type.Unknown()),
  output: Type.Optional(Type.Unknown()),
  ok: Type.Optional(Type.Boolean()),
});
type AnswerStep = Static<typeof Step>;

/** Other fields belong to nobody. A field that is null is absent. */
const Reply = Type.Object({
  answer: Type.String({ maxLength: ANSWER_CHARS }),
  usage: Type.Optional(Used),
  steps: Type.Optional(Type.Array(Step, { maxItems: MOST_STEPS })),
  stop: Type.Optional(Type.String({ maxLength: 200 })),
  version: Type.Optional(Type.String({ maxLength: 200 })),
});

export type ReadReply = Pick<Static<typeof Reply>, "answer"> & {
  readonly usage: Static<typeof Used>;
  readonly steps: readonly AnswerStep[];
  /** Why it stopped, in its own word; `end` where it said none. */
  readonly stop: string;
  /** What runs there, as it says. */
  readonly version: string | null;
};

/** `either`: an object with a field `answer` is a reply, anything else is the answer itself. */
export type BodyForm = "json" | "text" | "either";

/** @param redact goes before a message cuts what it quotes @throws UnusableAnswer */
export async function readAnswer(bytes: Uint8Array, form: BodyForm, redact: ArmRun["redact"]): Promise<ReadReply> {
  const reply = form === "text" ? undefined : await objectIn(bytes, form);
  return asAnswer(reply ?? { answer: textOf(bytes) }, redact);
}

/** Undefined for what is meant as text. */
async function objectIn(bytes: Uint8Array, form: BodyForm): Promise<unknown> {
  if (form === "either" && !beginsObject(bytes)) return undefined;
  const read = await steadily(boundedJsonInSteps(bytes, { bytes: REPLY_BYTES, values: 100_000, levels: LEVELS }));
  if (!("fault" in read))
    return form === "json" || asRecord(read.value)?.["answer"] !== undefined ? read.value : undefined;
  if (form === "either" && isMalformed(read.fault)) return undefined;
  throw wrongShape(isMalformed(read.fault) ? `its reply is ${read.fault}` : `its reply has ${read.fault}`);
}

/** Levels of nesting, as for what models call tools with. */
const LEVELS = 64;

const beginsObject = (bytes: Uint8Array) => /^\s*\{/.test(new TextDecoder().decode(bytes.subarray(0, 64)));

function textOf(bytes: Uint8Array): string {
  const text = strictText(bytes);
  if (text === undefined) throw wrongShape(`its reply is ${NO_UTF8}`);
  return text;
}

function asAnswer(value: unknown, redact: ArmRun["redact"]): ReadReply {
  const { answer, usage = {}, steps = [], stop = "end", version = null } = shaped(Reply, value, redact);
  return { answer, usage, steps, stop, version };
}

/** Whatever a reply in JSON is to say. @param redact as for `readAnswer` @throws UnusableAnswer */
export const readJsonReply = async <T extends TSchema>(
  schema: T,
  bytes: Uint8Array,
  redact: ArmRun["redact"],
): Promise<Static<T>> => shaped(schema, await objectIn(bytes, "json"), redact);

function shaped<T extends TSchema>(schema: T, value: unknown, redact: ArmRun["redact"]): Static<T> {
  const reply = withoutNulls(value, ["usage"]);
  const error = Value.Errors(schema, reply).First();
  if (error === undefined) return reply as Static<T>; // it was checked
  const quoted = typeof error.value === "string" ? redact(error.value) : error.value;
  throw wrongShape(`${fieldAt(error.path)}: ${explain({ ...error, value: quoted }, nameAt(error.path), "json")}`);
}

function withoutNulls(value: unknown, inside: readonly string[]): unknown {
  const fields = asRecord(value);
  if (fields === undefined) return value;
  const given = Object.entries(fields).filter(([, field]) => field !== null);
  return Object.fromEntries(
    given.map(([name, field]) => [name, inside.includes(name) ? withoutNulls(field, []) : field]),
  );
}

/** `/steps/3/ok` as `steps[3].ok`; the whole reply where it is empty. */
const fieldAt = (path: string): string =>
  path === ""
    ? "its reply"
    : path
        .slice(1)
        .replaceAll(/\/(\d+)(?=\/|$)/g, "[$1]")
        .replaceAll("/", ".");

const nameAt = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
