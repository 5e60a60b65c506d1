import type { ArmSummary } from "../../domain/session.ts";

/** The model that was asked for, and the one that answered where that says more. */
export function ModelName({ arm: { model, model_served } }: { arm: Pick<ArmSummary, "model" | "model_served"> }) {
  const says_more = model_served !== null && !model.endsWith(model_served);
  return (
    <>
      <code>{model}</code>
      {says_more && <span class="aside"> answered by {model_served}</span>}
    </>
  );
}
