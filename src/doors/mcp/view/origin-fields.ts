import { Type } from "@sinclair/typebox";
import type { Verdict } from "../../../domain/verdict.ts";

/** Why a gate is shut, and by which inputs. The HTTP API's document describes the fields; here they would fill much of the list of tools. */
export const ORIGIN_FIELDS = {
  gate_reasons: Type.Optional(
    Type.Unsafe<NonNullable<Verdict["gate_reasons"]>>(Type.Record(Type.String(), Type.Unknown())),
  ),
  inputs_from_checkout: Type.Optional(
    Type.Unsafe<NonNullable<Verdict["inputs_from_checkout"]>>(Type.Array(Type.Unknown())),
  ),
};
