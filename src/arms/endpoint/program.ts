import type { AgentRun } from "../../domain/external-agent.ts";
import { Mistake } from "../../domain/failure.ts";
import { GrownBytes } from "../../runtime/grown-bytes.ts";
import { PrintedEnds } from "../agent/external-arm.ts";
import type { ArmRun } from "../arm/run-arm.ts";
import type { ProcessEnd, SandboxedProcess } from "../sandbox/sandbox.ts";
import { REPLY_BYTES, UnusableAnswer, wrongShape } from "./answer-protocol.ts";
import type { ArmAnswerer, Asking, RawReply } from "./answering-arm.ts";

type ProgramRun = Pick<ArmRun, "workspace" | "policies" | "redact">;

/** Answers by a program in the arm's workspace, which is started anew for each turn. */
export function programAnswerer(argv: readonly string[], run: ProgramRun): ArmAnswerer {
  let last: Pick<AgentRun, "exit_code" | "stdout" | "stderr"> = { exit_code: null, stdout: "", stderr: "" };
  const ask = async (request: Uint8Array, { signal }: Asking): Promise<RawReply> => {
    await using started = await run.workspace.attach(attached(argv, run), signal);
    const printed = new PrintedEnds(started.stderr);
    const answer = collected(started);
    started.stdin.end(request);
    const ended = await started.ended;
    const stdout = await answer;
    await printed.done;
    const said = run.redact(printed.text);
    last = { exit_code: ended.exit_code, stdout: "", stderr: said };
    signal.throwIfAborted();
    if (stdout === undefined) throw wrongShape(`its reply has more than ${REPLY_BYTES} bytes`);
    demandExit(ended, said);
    return { bytes: stdout, form: "either" };
  };
  return { ask, ended: () => ({ recipe: null, install: null, version: null, digest: null, ...last }) };
}

const attached = ([program = "", ...rest]: readonly string[], { policies }: ProgramRun) => ({
  command: [program, ...rest] as const,
  network: policies.network,
  read_only: policies.paths.protected,
});

/** What it prints; undefined when that is more than is read, and it is ended then. */
async function collected(started: SandboxedProcess): Promise<Uint8Array | undefined> {
  const whole = new GrownBytes();
  for await (const chunk of started.stdout) {
    whole.add(chunk);
    if (whole.length <= REPLY_BYTES) continue;
    started.kill();
    return undefined;
  }
  return whole.take();
}

/** @throws UnusableAnswer, Mistake for a full disk */
function demandExit({ ended, exit_code, full }: ProcessEnd, said: string): void {
  if (ended === "disk_limit") throw new Mistake(`the program used up its disk${full ? `: ${full}` : ""}`);
  if (ended === "exit" && exit_code === 0) return;
  const how = ended === "exit" ? `exit code ${exit_code}` : ended.replaceAll("_", " ");
  const last = said.trim().split("\n").at(-1) ?? "";
  throw new UnusableAnswer("program_failed", `its program ended with ${how}${last === "" ? "" : `: ${last}`}`);
}
