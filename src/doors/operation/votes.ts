import { Type } from "@sinclair/typebox";
import { Vote, VoteRequest } from "../../domain/vote.ts";
import { operation } from "./operation.ts";

export const voteOnSession = operation({
  name: "vote",
  title: "Vote on two arms",
  summary:
    "Keeps whom a person prefers of two arms, and why. Votes are no part of a verdict and no judge sees them; `GET /api/judges` says how often they agree with each judge. Who votes is not checked, nor whether the vote was blind.",
  input: Type.Composite([Type.Object({ session_id: Type.String() }), VoteRequest], { additionalProperties: false }),
  output: Vote,
  async run(services, { session_id, ...request }) {
    const { vote } = await import("../../comparison/session/vote.ts");
    return await vote(services, session_id, request);
  },
});
