import type { CostEstimate, DoctorCheck, DoctorReport } from "../../../domain/doctor-report.ts";
import { moneyText } from "../../../domain/readiness.ts";
import { count, duration, usd } from "../format.ts";
import { Light, SHAPES } from "../part/light.tsx";

const ORDER = ["fail", "warn", "skip", "pass"] as const;
const NOUNS = { fail: "failed", warn: "to look at", skip: "skipped", pass: "fine" };

/** Counts the results of a report in one line, the worst first. */
export function Lights({ report }: { report: DoctorReport }) {
  const counts = ORDER.map((status) => ({ status, number: report.checks.filter((c) => c.status === status).length }));
  return (
    <span class="lights">
      {counts
        .filter(({ number }) => number > 0)
        .map(({ status, number }) => (
          <span key={status} class={`light light-${status}`}>
            <span class="light-mark" aria-hidden="true">
              {SHAPES[status]}
            </span>
            {number} {NOUNS[status]}
          </span>
        ))}
    </span>
  );
}

/** Every check, those that need attention first. */
export function CheckList({ checks }: { checks: readonly DoctorCheck[] }) {
  const sorted = [...checks].sort((one, other) => ORDER.indexOf(one.status) - ORDER.indexOf(other.status));
  return (
    <ul class="checks">
      {sorted.map((check) => (
        <li key={check.id} data-stop tabIndex={-1}>
          <Light status={check.status} />
          <div>
            <p class="check-title">
              {check.title} <code>{check.id}</code>
            </p>
            {check.detail && <p class="small-print">{check.detail}</p>}
            {check.hint && check.status !== "pass" && <p class="check-hint">→ {check.hint}</p>}
          </div>
          <span class="quantity">{duration(check.duration_ms)}</span>
        </li>
      ))}
    </ul>
  );
}

/** What a run is likely to cost, then what it cannot exceed. */
export function Estimate({ estimate }: { estimate: CostEstimate }) {
  const { low_tokens, high_tokens } = estimate;
  if (high_tokens === 0) return <p class="small-print">{estimate.note}</p>;
  return (
    <p class="small-print">
      <strong>{moneyText(estimate, usd) ?? "Price unknown"}</strong>, {count(low_tokens)} to {count(high_tokens)}{" "}
      tokens. {estimate.note}
    </p>
  );
}
