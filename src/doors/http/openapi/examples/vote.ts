import type { Vote } from "../../../../domain/vote.ts";
import { EXAMPLE_VERDICT } from "./verdict.ts";

export const EXAMPLE_VOTE: Vote = {
  vote_id: "vote-20260102T110000000Z-5b1e90c2",
  created_at: "2026-01-02T11:00:00.000Z",
  arm_a: EXAMPLE_VERDICT.arm_a,
  arm_b: EXAMPLE_VERDICT.arm_b,
  order: "ba",
  choice: "b",
  blind: true,
  reason: "It changes the one line that is wrong.",
  voter: null,
};
