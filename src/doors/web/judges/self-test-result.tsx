import type { Grade, SelfTest } from "../../../domain/self-test.ts";
import { words } from "../format.ts";
import { Light, type LightStatus } from "../part/light.tsx";

const LIGHTS: Record<Grade, LightStatus> = { pass: "pass", warn: "warn", fail: "fail", skip: "skip" };

export const GradeLight = ({ grade }: { grade: Grade }) => <Light status={LIGHTS[grade] ?? "warn"} />;

/** What it found; until it is completed, or when it failed, its state. */
export const SelfTestResult = ({ state, verdict }: Pick<SelfTest, "state" | "verdict">) =>
  verdict ? <GradeLight grade={verdict} /> : <span>{words(state)}</span>;
