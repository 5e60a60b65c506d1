import { didYouMean } from "../../domain/did-you-mean.ts";
import { Failure } from "../../domain/failure.ts";
import { Pace } from "../../runtime/pace.ts";
import type { RequestOf } from "../endpoint/endpoints.ts";
import { trajectoryHead, trajectorySteps, trajectoryTotals } from "../report/trajectory.ts";
import type { Services } from "./operation.ts";
import { getSession } from "./sessions.ts";

/** What one arm did, as JSON in pieces, which are made as they are asked for. @throws Failure `unknown_session`, `unknown_arm` */
export async function exportTrajectory(
  services: Services,
  { id, arm_id }: RequestOf<"exportTrajectory">,
  signal: AbortSignal,
): Promise<AsyncGenerator<string>> {
  const session = await getSession(services, { id }, signal);
  const arm = session.arms.find((one) => one.arm_id === arm_id);
  if (arm === undefined) throw unknownArm(arm_id, session.arms);
  const head = trajectoryHead(session, arm, services.version);
  return pieces(head, trajectorySteps(session, arm_id), (steps) => trajectoryTotals(arm, steps));
}

async function* pieces(
  head: object,
  steps: Iterable<object>,
  totals: (steps: number) => object,
): AsyncGenerator<string> {
  const pace = new Pace();
  yield `${JSON.stringify(head).slice(0, -1)},"steps":[`;
  let count = 0;
  for (const step of steps) {
    const text = JSON.stringify(step);
    await pace.bytes(text.length);
    yield count === 0 ? text : `,${text}`;
    count += 1;
  }
  yield `],"final_metrics":${JSON.stringify(totals(count))}}`;
}

function unknownArm(arm_id: string, arms: readonly { readonly arm_id: string }[]): Failure {
  const ids = arms.map((arm) => arm.arm_id);
  const shown = JSON.stringify(arm_id.slice(0, 100));
  return new Failure(
    "unknown_arm",
    `the session has no arm ${shown}${didYouMean(arm_id, ids) || `; it has ${ids.join(" and ")}`}`,
  );
}
