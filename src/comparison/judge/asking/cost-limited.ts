import { SIDES, type Side, type Verdict } from "../../../domain/verdict.ts";

/** The arms that a cost limit ended. */
export const costLimited = (facts: Verdict["facts"]): readonly Side[] =>
  SIDES.filter((side) => facts[side].stop_reason === "budget:cost_usd");
