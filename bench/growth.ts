import { join } from "node:path";
import { inTurns, report, round, type Sample, sampleOf, timeProcess } from "./measure.ts";
import { ABEVAL, BenchDirectory, helloScenario, storedSession } from "./program.ts";
import { startBenchProvider } from "./provider.ts";

const SIZES = { few: 10, some: 100, many: 1_000 };
const ROUNDS = 5;

/** The time of one decision when an arm makes 10, 100 and 1,000: run, stored, and shown to a judge. */
export async function growth(): Promise<void> {
  const dir = new BenchDirectory();
  await using provider = startBenchProvider();
  const took = (decisions: number) => {
    const file = dir.scenario(`growth-${decisions}`, longScenario(decisions));
    return async () => {
      const state = join(dir.path, `state-${decisions}-${crypto.randomUUID()}`);
      const command = [ABEVAL, "run", file, "--quiet", "--state-dir", state];
      await timeProcess(command, provider.environment);
      const session = await storedSession(state);
      const made = Object.values(session.decisions).map(({ length }) => length);
      if (made.some((count) => count !== decisions)) throw new Error(`arms made ${made.join(" and ")} decisions`);
      return session.totals.wall_ms ?? Number.NaN;
    };
  };
  const times = await inTurns({ few: took(SIZES.few), some: took(SIZES.some), many: took(SIZES.many) }, ROUNDS);
  const each = (size: keyof typeof SIZES): Sample => {
    const { median, min, max } = times[size];
    return sampleOf([min, median, max].map((ms) => (1000 * ms) / (2 * SIZES[size])));
  };
  for (const size of ["few", "some", "many"] as const) {
    const ratio = each(size).median / each("some").median;
    report(`a decision among ${SIZES[size]} an arm`, each(size), {
      unit: "us",
      yardstick: `${round(ratio)} x among ${SIZES.some}; the session ${round(times[size].median)} ms, n=${ROUNDS}`,
      ...(size === "many" ? { goal: "flat (<= 1.2 x)", met: ratio <= 1.2 } : {}),
    });
  }
}

/** A turn makes two decisions: itself and its tool call, or its final answer. */
function longScenario(decisions: number): string {
  const turns = decisions / 2;
  const calls = Array.from({ length: turns - 1 }, () => "{calls: [{list_files: {}}]}");
  const script = [...calls, "{say: Hello.}"].join(", ");
  const budget = `policies: {budget: {max_turns: ${2 * turns}, max_tool_calls: ${2 * turns}, max_tokens: 100000000}}`;
  return helloScenario(
    `growth-${decisions}`,
    (id) => `model: scripted/${id}, tools: [list_files], script: [${script}]`,
    "openai/judge",
    budget,
  );
}
