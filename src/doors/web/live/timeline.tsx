import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { commonSteps, type TimedStep } from "../../../domain/timeline.ts";
import { cited } from "../evidence/cited.ts";
import { StepList } from "../evidence/step-list.tsx";
import { countOf } from "../format.ts";
import { ARM_SIDES, ArmName } from "../part/arm-name.tsx";
import type { Logs } from "./logs.ts";
import { passing, type StepFilter } from "./step-filter.ts";
import { StepTools } from "./step-tools.tsx";

interface TimelineProps {
  readonly steps: readonly TimedStep[];
  readonly logs: Logs;
  readonly names: Readonly<Record<"a" | "b", string>>;
  readonly filter: Signal<StepFilter>;
  readonly running: boolean;
  /** What both began with alike is folded; not of a run that the reader saw go on, where it would take steps away. */
  readonly folded: boolean;
}

/** The steps of both arms beside each other, oldest first, so that what a reader reads stays where it is. */
export function Timeline({ steps, logs, names, filter, running, folded }: TimelineProps) {
  const common = useMemo(() => (folded ? commonSteps(logs.a, logs.b) : 0), [logs.a, logs.b, folded]);
  const shown = useMemo(() => passing(steps, filter.value), [steps, filter.value]);
  const end = useFollowed(running, shown.length);
  const of = (side: "a" | "b") => shown.filter((step) => step.side === side);
  const later = (side: "a" | "b") => of(side).filter(({ decision }) => decision.seq > common);
  const isParted = common === 0 || ARM_SIDES.some((side) => logs[side].length > common);
  return (
    <>
      <StepTools steps={steps} shown={shown.length} filter={filter} />
      {steps.length === 0 && <p class="empty">No decision yet.</p>}
      {steps.length > 0 && shown.length === 0 && <p class="empty">No step passes the filter.</p>}
      {common > 0 && (
        <Common steps={of("a").filter(({ decision }) => decision.seq <= common)} common={common} logs={logs} />
      )}
      {isParted && (
        <div class="lanes" data-running={running || undefined}>
          {ARM_SIDES.map((side) => (
            <section key={side} class={`lane side-${side}`} aria-label={`Steps of arm ${side}`}>
              <h3>
                <ArmName side={side} name={names[side]} />{" "}
                <span class="aside">{countOf(later(side).length, "step")} shown</span>
              </h3>
              <StepList side={side} steps={later(side)} />
            </section>
          ))}
        </div>
      )}
      {running && <FollowButton {...end} />}
    </>
  );
}

interface CommonProps {
  /** The steps of arm a; arm b's are alike. */
  readonly steps: readonly TimedStep[];
  readonly common: number;
  readonly logs: Logs;
}

function Common({ steps, common, logs }: CommonProps) {
  const place = cited.value;
  const isCited = place?.kind === "decision" && Number(place.ref) <= common;
  const isAll = common === logs.a.length && common === logs.b.length;
  return (
    <>
      <details class="fold" open={isCited || undefined}>
        <summary>
          {isAll ? `Both did the same, ${countOf(common, "step")}` : `Same start in both: ${countOf(common, "step")}`}
        </summary>
        <StepList side={place?.side === "b" ? "b" : "a"} steps={steps} />
      </details>
      {!isAll && <p class="parting">Here they part</p>}
    </>
  );
}

/** While it follows, the newest step is kept in sight, until the reader scrolls away from it. */
function useFollowed(running: boolean, shown: number) {
  const following = useSignal(false);
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (running && following.peek()) end.current?.scrollIntoView({ block: "end" });
  }, [shown, running, following]);
  useEffect(() => {
    const leave = (event: Event) => {
      if (!(event instanceof WheelEvent) || event.deltaY < 0) following.value = false;
    };
    for (const event of ["wheel", "touchmove"]) addEventListener(event, leave, { passive: true });
    return () => {
      for (const event of ["wheel", "touchmove"]) removeEventListener(event, leave);
    };
  }, [following]);
  return { following, end };
}

function FollowButton({ following, end }: ReturnType<typeof useFollowed>) {
  const follow = () => {
    following.value = !following.peek();
    if (following.peek()) end.current?.scrollIntoView({ block: "end" });
  };
  return (
    <div class="follow" ref={end}>
      <button type="button" class="quiet" aria-pressed={following.value} onClick={follow}>
        Follow the newest step
      </button>
    </div>
  );
}
