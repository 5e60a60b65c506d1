import { Type } from "@sinclair/typebox";
import type { ArmSummary, SessionOutcome } from "../../domain/session.ts";
import { withoutCheckQuotes, withoutCheckWords } from "./hidden-words.ts";
import { viewScenario } from "./scenario-view.ts";

/** Its schema is in the OpenAPI document; here it would be most of what a client reads about the tools. */
export const FullSession = Type.Record(Type.String(), Type.Unknown(), {
  description:
    "SessionOutcome as in the HTTP API, without the texts of changed files and, unless asked for, hidden parts of the definition and what the hidden checks printed.",
});

export function fullSession(outcome: SessionOutcome, includeHidden: boolean) {
  return {
    ...outcome,
    definition: viewScenario(outcome.definition, includeHidden),
    arms: outcome.arms.map(withoutFileTexts),
    ...(!includeHidden && withoutHiddenWords(outcome)),
  };
}

/** Without what other details page better: decisions, counted here, and patches. */
export const withoutPaged = ({ decisions, arms, ...session }: ReturnType<typeof fullSession>) => ({
  ...session,
  arms: arms.map(({ changes, ...arm }) => ({ ...arm, changes: changes && withoutPatch(changes) })),
  decisions: Object.fromEntries(Object.entries(decisions).map(([arm_id, log]) => [arm_id, log.length])),
});

const withoutPatch = <T extends { patch: string }>({ patch: _, ...changes }: T) => changes;

const withoutHiddenWords = ({ arms, verdict, verdicts }: SessionOutcome) => ({
  arms: arms.map((arm) => ({ ...withoutFileTexts(arm), probe: withoutCheckWords(arm.probe) })),
  verdict: verdict && withoutCheckQuotes(verdict),
  verdicts: verdicts.map(withoutCheckQuotes),
});

const withoutFileTexts = (arm: ArmSummary) => ({
  ...arm,
  changes: arm.changes && {
    ...arm.changes,
    files: arm.changes.files.map(({ before: _b, after: _a, ...facts }) => facts),
  },
});
