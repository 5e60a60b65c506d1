import { type ReadonlySignal, type Signal, useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { kindNamed } from "../../../domain/decision-kinds.ts";
import type { TimeAxis, TimedStep } from "../../../domain/timeline.ts";
import type { Side } from "../../../domain/verdict.ts";
import { fragmentOf } from "../evidence/cited.ts";
import { duration } from "../format.ts";
import { ARM_SIDES, ArmMark } from "../part/arm-name.tsx";
import { navigate } from "../routes.ts";
import type { Span, StepFilter } from "./step-filter.ts";
import { closer, marksOf, stepAt, wider } from "./strip-marks.ts";

interface StripProps {
  readonly axis: TimeAxis;
  /** Milliseconds; more than the axis while a run goes on. */
  readonly whole_ms: number;
  readonly filter: Signal<StepFilter>;
}

/** Every step of both arms on one scale of time. A click leads to a step; a drag or a button shows a part of the time alone. */
export function TimeStrip({ axis, whole_ms, filter }: StripProps) {
  const span = filter.value.span ?? { from_ms: 0, to_ms: whole_ms };
  const pointed = useSignal<TimedStep | undefined>(undefined);
  const show = (next: Span | null) => {
    filter.value = { ...filter.peek(), span: next };
  };
  return (
    <figure class="overview">
      {ARM_SIDES.map((side) => (
        <Track
          key={side}
          side={side}
          steps={axis.steps.filter((step) => step.side === side)}
          {...{ span, pointed, show }}
        />
      ))}
      <div class="overview-scale" aria-hidden="true">
        {[0, 0.25, 0.5, 0.75, 1].map((share) => (
          <span key={share}>{duration(span.from_ms + share * (span.to_ms - span.from_ms))}</span>
        ))}
      </div>
      <figcaption class="overview-tools">
        <button type="button" class="quiet" onClick={() => show(closer(span))}>
          Zoom in
        </button>
        <button type="button" class="quiet" disabled={!filter.value.span} onClick={() => show(wider(span, whole_ms))}>
          Zoom out
        </button>
        <button type="button" class="quiet" disabled={!filter.value.span} onClick={() => show(null)}>
          Reset zoom
        </button>
        <Pointed step={pointed} span={filter.value.span} />
      </figcaption>
    </figure>
  );
}

function Pointed({ step, span }: { step: ReadonlySignal<TimedStep | undefined>; span: Span | null }) {
  const pointed = step.value;
  if (pointed)
    return (
      <span class="overview-told">
        <ArmMark side={pointed.side} /> {pointed.decision.seq} {kindNamed(pointed.decision.kind).name} at{" "}
        {duration(pointed.end_ms)}: {pointed.decision.summary}
      </span>
    );
  return (
    <span class="overview-told aside" role="status">
      {span
        ? `Steps from ${duration(span.from_ms)} to ${duration(span.to_ms)} are shown.`
        : "Click a step to read it, drag to look closer."}
    </span>
  );
}

interface TrackProps {
  readonly side: Side;
  readonly steps: readonly TimedStep[];
  readonly span: Span;
  readonly pointed: Signal<TimedStep | undefined>;
  readonly show: (span: Span) => void;
}

/** Pixels that a pointer moves in a click. */
const CLICK = 4;

/** One arm. It is hidden from screen readers: the rows below say the same, and the buttons do the same. */
function Track({ side, steps, span, pointed, show }: TrackProps) {
  const start = useRef<number | null>(null);
  const length = span.to_ms - span.from_ms;
  const momentAt = (event: PointerEvent) => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect(); // the track itself listens
    return span.from_ms + (Math.min(Math.max(event.clientX - box.left, 0), box.width) / box.width) * length;
  };
  const release = (event: PointerEvent) => {
    const from = start.current;
    start.current = null;
    if (from === null) return;
    const to = momentAt(event);
    const isClick = Math.abs(to - from) * ((event.currentTarget as HTMLElement).clientWidth / length) <= CLICK; // as above
    if (!isClick) return show({ from_ms: Math.min(from, to), to_ms: Math.max(from, to) });
    const step = stepAt(steps, to);
    if (step) navigate(fragmentOf({ side, kind: "decision", ref: String(step.decision.seq) }), { replace: true });
  };
  return (
    <div class={`overview-lane side-${side}`} aria-hidden="true">
      <ArmMark side={side} />
      <div
        class="overview-track"
        onPointerDown={(event) => {
          start.current = momentAt(event);
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerMove={(event) => {
          pointed.value = stepAt(steps, momentAt(event));
        }}
        onPointerUp={release}
        onPointerLeave={() => {
          pointed.value = undefined;
        }}
      >
        {marksOf(steps, span).map(({ seq, left, width, kind, failed }) => (
          <span
            key={seq}
            class={`overview-step kind-${kind} ${failed ? "overview-failed" : ""}`}
            style={{ left: `${100 * left}%`, width: `${100 * width}%` }}
          />
        ))}
      </div>
    </div>
  );
}
