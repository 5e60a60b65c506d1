import { prepareSelfTest, priceTag, type SelfTestPlan } from "../../comparison/audit/prepare-self-test.ts";
import { startPrepared } from "../../comparison/audit/start-self-test.ts";
import { loadScenarioFile } from "../../comparison/scenario/load-scenario.ts";
import { usdText } from "../../domain/number-text.ts";
import { plainText } from "../../domain/plain-text.ts";
import type { SelfTest, SelfTestPart } from "../../domain/self-test.ts";
import { SELF_TEST_TITLES, selfTestSentence } from "../../domain/self-test-sentence.ts";
import { openChecking } from "./check-scenarios.ts";
import { EXIT, unlessInterrupted } from "./exit-code.ts";
import { type RunArguments, replacementOf } from "./flags/run-flags.ts";
import { demandFlagsOf } from "./flags/tool-flags.ts";
import { statusHead } from "./terminal/doctor-text.ts";
import { hanging, jsonText, stdoutWidth, writeStdout } from "./terminal/terminal.ts";

/** One file as it was named, with what its test found. */
interface TestedFile {
  readonly file: string;
  readonly self_test: SelfTest;
}

/** `abeval judge-test`: examines the judge of files. Returns the exit status. @throws UsageError */
export async function selfTestScenarios(args: RunArguments): Promise<number> {
  demandFlagsOf("judge-test", args);
  return await unlessInterrupted(async (signal) => {
    const tested = await testAll(args, signal);
    const text = args.has("json") ? jsonText(tested.map(({ self_test }) => self_test)) : asText(tested, stdoutWidth());
    const taken = await writeStdout(text);
    signal.throwIfAborted();
    return taken ? statusOf(tested.map(({ self_test }) => self_test)) : EXIT.failed;
  });
}

/** The gravest. Where nothing could be asked, nobody waits for an answer; a judge that was asked and not told apart has not passed. */
function statusOf(self_tests: readonly SelfTest[]): number {
  if (self_tests.some(({ verdict }) => verdict === null || verdict === "fail")) return EXIT.failed;
  const isOpen = ({ parts }: SelfTest) => parts.some(({ verdict }) => verdict === "warn");
  return self_tests.some(isOpen) ? EXIT.invalid : EXIT.done;
}

/** All files are prepared before the first costs anything. */
async function testAll(args: RunArguments, signal: AbortSignal): Promise<TestedFile[]> {
  const { parameters: files } = args;
  const notice = (line: string) => void (args.has("quiet") || process.stderr.write(`${plainText(line)}\n`));
  const [first = ""] = args.parameters;
  await using services = await openChecking(first, args, { keeps: true, notice });
  const max_cost_usd = args.usd("max-cost");
  const { judge_model } = replacementOf(args);
  const options = { judge_model, max_cost_usd: max_cost_usd && max_cost_usd / files.length };
  const plans: (readonly [string, SelfTestPlan])[] = [];
  for (const file of files) plans.push([file, await prepareSelfTest(services, await loadScenarioFile(file), options)]);
  const tested: TestedFile[] = [];
  for (const [file, plan] of plans) {
    notice(`${file}: ${priceTag(plan)}`);
    const { done } = await startPrepared(services, plan, signal);
    tested.push({ file, self_test: await done });
  }
  return tested;
}

const asText = (tested: readonly TestedFile[], width: number) =>
  plainText(`${tested.map((file) => sectionOf(file, width)).join("\n\n")}\n`);

function sectionOf({ file, self_test }: TestedFile, width: number): string {
  const { judge, parts, verdict, calls, cost_usd, failure } = self_test;
  const conclusion =
    failure === null
      ? `${verdict}, ${calls} judge calls, ${usdText(cost_usd)}`
      : `not completed: ${failure.message} (${failure.code})`;
  const head = selfTestSentence(self_test) ?? `Judge ${judge.model}`;
  return [
    ...hanging("", head, width),
    ...parts.flatMap((part) => partLines(part, width)),
    `${file}: ${conclusion}`,
  ].join("\n");
}

const partLines = ({ id, verdict, note }: SelfTestPart, width: number) =>
  hanging(statusHead(verdict), `${SELF_TEST_TITLES[id]}: ${note}`, width);
