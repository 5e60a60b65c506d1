import type { SelfTestListing } from "../../../domain/self-test.ts";
import { call } from "../api.ts";
import { count, usd, when } from "../format.ts";
import { useLoaded } from "../loaded.ts";
import { Show } from "../part/show.tsx";
import { DataTable } from "../part/table.tsx";
import { toScenario, toSelfTest } from "../routes.ts";
import { SelfTestResult, TestedModel } from "./self-test-result.tsx";

/** The self-tests that the list shows at first. */
const NEWEST = 20;

/** The newest self-tests, also those that run. */
export function SelfTestList() {
  const tests = useLoaded("self-tests", (signal) => call("GET /api/self-tests", { limit: NEWEST }, signal), {
    changes: (listed) => listed.some(({ state }) => state === "running"),
  });
  return (
    <Show of={tests} what="the self-tests">
      {(listed) =>
        listed.length === 0 ? (
          <p class="empty">No judge has been tested here yet: whether one can be trusted is not known.</p>
        ) : (
          <Tests of={listed} />
        )
      }
    </Show>
  );
}

const Tests = ({ of }: { of: readonly SelfTestListing[] }) => (
  <DataTable label="Self-tests" kind="rows folded" heads={["Begun", "Result", "Judge", "Scenario", "Calls", "Cost"]}>
    {of.map(({ self_test_id, state, verdict, judge, scenario, calls, cost_usd, created_at }) => (
      <tr key={self_test_id}>
        <th scope="row">
          <a href={toSelfTest(self_test_id)}>{when(created_at)}</a>
        </th>
        <td>
          <SelfTestResult {...{ state, verdict, calls }} />
        </td>
        <td>
          <TestedModel model={judge.model} />
        </td>
        <td>
          <a href={toScenario(scenario)}>{scenario}</a>
        </td>
        <td class="number" data-head="Calls">
          {count(calls)}
        </td>
        <td class="number" data-head="Cost">
          {cost_usd === null ? "unknown" : usd(cost_usd)}
        </td>
      </tr>
    ))}
  </DataTable>
);
