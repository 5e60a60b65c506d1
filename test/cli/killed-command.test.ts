import { expect } from "bun:test";
import { signalProcess } from "../../src/arms/sandbox/process/process-table.ts";
import { startAbeval } from "../abeval.ts";
import { SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { until } from "../turns.ts";
import { Directory, processesWith } from "../workspace/harness.ts";

testNeeding(SANDBOX)(
  "a run whose command was killed from outside ends with the status of an interrupted one, and says why",
  async () => {
    const mark = `mark-${crypto.randomUUID()}`;
    using directory = new Directory({
      "killed.yaml": `name: killed
task: { prompt: Work., probe: { checks: [{ id: works, run: ": ${mark}; sleep 30; true" }] } }
arms:
  - { id: left, model: scripted/left, script: [{ say: Done. }] }
  - { id: right, model: scripted/right, script: [{ say: Done. }] }
rubric: { criteria: [{ measure: probe_score }], judge: { model: builtin/evidence } }
`,
    });
    const child = startAbeval(["run", `${directory.path}/killed.yaml`, "--quiet"]);
    await until(() => processesWith(mark).length > 2);
    const [outermost] = processesWith(mark)
      .map((path) => Number(/\d+/.exec(path)?.[0]))
      .toSorted((one, other) => one - other);
    signalProcess(outermost ?? 0, "SIGKILL");
    expect(await new Response(child.stderr).text()).toContain("killed_from_outside");
    expect(await child.exited).toBe(130);
  },
);
