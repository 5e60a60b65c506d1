import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { SessionOutcome } from "../../../domain/session.ts";
import type { Side } from "../../../domain/verdict.ts";
import { count, duration, usd } from "../format.ts";
import { ARM_SIDES, ArmName } from "../part/arm-name.tsx";
import type { Logs } from "./spend.ts";
import { doneAt, type Point, SPEND_UNITS, type SpendUnit, spendOverTime } from "./spend.ts";

const TEXTS: Record<SpendUnit, (spent: number) => string> = {
  tokens: (spent) => `${count(spent)} tokens`,
  cost: usd,
  seconds: (spent) => duration(spent * 1_000),
};

interface SpendChartProps {
  readonly session: SessionOutcome;
  readonly logs: Logs;
  readonly names: Readonly<Record<Side, string>>;
}

type Courses = Readonly<Record<Side, readonly Point[]>>;

/** How far both arms were for the same money, tokens or time. */
export function SpendChart({ session, logs, names }: SpendChartProps) {
  const courses = useMemo(() => coursesOf(session, logs), [session, logs.a, logs.b]);
  const [first] = courses.keys();
  const chosen = useSignal<SpendUnit | undefined>(undefined);
  const unit = chosen.value ?? first;
  const course = unit && courses.get(unit);
  if (!unit || !course) return null;
  return (
    <details class="fold spend">
      <summary>How far each was at equal spend</summary>
      <fieldset class="kinds">
        <legend class="hidden-text">Spend in</legend>
        {[...courses.keys()].map((each) => (
          <label key={each} class="kind-choice">
            <input type="radio" name="spend" checked={each === unit} onChange={() => (chosen.value = each)} />
            {each}
          </label>
        ))}
      </fieldset>
      <Curves key={unit} unit={unit} courses={course} names={names} />
    </details>
  );
}

/** The courses in every unit in which the spending of both arms is known. */
function coursesOf({ settings, arms }: SessionOutcome, logs: Logs): ReadonlyMap<SpendUnit, Courses> {
  const known = SPEND_UNITS.flatMap((unit) => {
    const [a, b] = ARM_SIDES.map((side, index) =>
      spendOverTime(logs[side], unit, settings.prices?.arms[arms[index === 0 ? 0 : 1].arm_id] ?? null),
    );
    return a && b && totalOf(a) > 0 && totalOf(b) > 0 ? [[unit, { a, b }] as const] : [];
  });
  return new Map(known);
}

/** What an arm has spent in all. */
const totalOf = (course: readonly Point[]): number => course.at(-1)?.spent ?? 0;

interface CurvesProps {
  readonly unit: SpendUnit;
  readonly courses: Courses;
  readonly names: Readonly<Record<Side, string>>;
}

/** One line for each arm. The slider asks at another spend; it begins where the arm that spent less ended. */
function Curves({ unit, courses, names }: CurvesProps) {
  const totals = ARM_SIDES.map((side) => totalOf(courses[side]));
  const most = Math.max(...totals);
  const asked = useSignal<number | null>(null);
  const at = asked.value ?? Math.min(...totals);
  const top = Math.max(1, ...ARM_SIDES.map((side) => courses[side].at(-1)?.done ?? 0));
  return (
    <>
      <p role="status">
        At {TEXTS[unit](at)} each: <ArmName side="a" name={names.a} /> {doneAt(courses.a, at)},{" "}
        <ArmName side="b" name={names.b} /> {doneAt(courses.b, at)} <span class="aside">tool calls that worked</span>
      </p>
      <div class="plot spend-plot">
        <span class="plot-tick" style={{ top: "0%" }}>
          {top}
        </span>
        <span class="plot-tick" style={{ top: "100%" }}>
          0
        </span>
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
          {ARM_SIDES.map((side) => (
            <polyline key={side} class={`side-${side}`} points={stairs(courses[side], most, top)} />
          ))}
        </svg>
        <span class="spend-at" style={{ left: `${(100 * at) / most}%` }} />
      </div>
      <input
        type="range"
        class="spend-slider"
        aria-label={`Spend in ${unit}`}
        aria-valuetext={TEXTS[unit](at)}
        min={0}
        max={most}
        step={most / 200}
        value={at}
        onInput={(event) => (asked.value = event.currentTarget.valueAsNumber)}
      />
      <p class="small-print plot-caption">
        <span>0</span>
        <span>spent</span>
        <span>{TEXTS[unit](most)}</span>
      </p>
    </>
  );
}

/** An arm is as far as its last call until the next. */
function stairs(course: readonly Point[], most: number, top: number): string {
  const at = (spent: number, done: number) =>
    `${((100 * spent) / most).toFixed(2)},${(100 - (100 * done) / top).toFixed(2)}`;
  let before = 0;
  return course
    .map(({ spent, done }) => {
      const step = `${at(spent, before)} ${at(spent, done)}`;
      before = done;
      return step;
    })
    .join(" ");
}
