import { judgesNamed } from "../../../domain/model-name.ts";
import type { Grade, SelfTest } from "../../../domain/self-test.ts";
import { words } from "../format.ts";
import { Light, type LightStatus } from "../part/light.tsx";

const LIGHTS: Record<Grade, LightStatus> = { pass: "pass", warn: "warn", fail: "fail", skip: "skip" };

export const GradeLight = ({ grade }: { grade: Grade }) => <Light status={LIGHTS[grade] ?? "warn"} />;

/** What it found; until then its state. A test that failed says nothing about the judge. A judge that was not asked anything got no warning. */
export function SelfTestResult({ state, verdict, calls }: Pick<SelfTest, "state" | "verdict" | "calls">) {
  if (!verdict) return <span>{state === "failed" ? "not completed" : words(state)}</span>;
  return verdict === "warn" && calls === 0 ? <Light status="skip" name="not tested" /> : <GradeLight grade={verdict} />;
}

/** The judge's model; of a panel each. */
export const TestedModel = ({ model }: { model: string }) => (
  <>
    {judgesNamed(model).map((name) => (
      <code key={name} class="judge-model">
        {name}
      </code>
    ))}
  </>
);
