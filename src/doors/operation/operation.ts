import type { Static, TSchema } from "@sinclair/typebox";
import type { Requester } from "../../comparison/session/started-session.ts";
import type { Services } from "../doctor/services.ts";

export type { Requester, Services };

/** Something that can be asked, the same through every door. */
export interface Operation<Input extends TSchema = TSchema, Output extends TSchema = TSchema> {
  readonly name: string;
  readonly title: string;
  /** Tells the reader of the API what it does, what it costs, and what comes next. */
  readonly summary: string;
  readonly input: Input;
  readonly output: Output;
  /** @throws Failure, whose code says what happened. */
  run(services: Services, input: Static<Input>, signal: AbortSignal, requester?: Requester): Promise<Static<Output>>;
}

/** Ties the types of input and output to the schemas. */
export const operation = <Input extends TSchema, Output extends TSchema>(
  spec: Operation<Input, Output>,
): Operation<Input, Output> => spec;
