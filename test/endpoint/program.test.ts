import { expect } from "bun:test";
import { PYTHON, SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { againstScript, runText } from "./served-answer.ts";

const testProgram = testNeeding(SANDBOX, PYTHON);

/** An arm that is a program, which lies in its workspace. */
const program = (source: string) =>
  againstScript(`{id: app, program: {run: [python3, answer.py]}, files: {answer.py: ${JSON.stringify(source)}}}`);

testProgram("a program in the sandbox is an arm: the request on stdin, the answer on stdout", async () => {
  const source = "import json, sys\nasked = json.load(sys.stdin)\nprint('good:', asked['messages'][0]['text'])\n";
  const { verdict, arms, failure } = await runText(program(source));
  expect(failure).toBeNull();
  expect(verdict).toMatchObject({ outcome: "winner", winner: "app" });
  expect(arms[0]).toMatchObject({ model: "program/app", final_answer: "good: Say something good.\n", turns: 1 });
});

testProgram("a program that tells its steps has decisions", async () => {
  const source =
    "import json\nprint(json.dumps({'answer': 'good', 'steps': [{'name': 'look', 'output': 'x', 'ok': True}]}))\n";
  const { arms, decisions } = await runText(program(source));
  expect(arms[0]).toMatchObject({ final_answer: "good", tool_calls: 1 });
  expect(decisions["app"]?.map(({ kind }) => kind)).toContain("tool_call");
});

testProgram("a program that fails did so itself, and its last line is told", async () => {
  const { arms, decisions, verdict } = await runText(program("raise ValueError('no idea')\n").replace("fine", "good"));
  expect(arms[0]).toMatchObject({ status: "finished", stop_reason: "program_failed", final_answer: null });
  expect(arms[0].agent).toMatchObject({ exit_code: 1, stdout: "" });
  expect(arms[0].agent?.stderr).toContain("Traceback");
  expect(decisions["app"]?.at(-1)?.summary).toBe("its program ended with exit code 1: ValueError: no idea");
  expect(verdict).toMatchObject({ outcome: "winner", winner: "script" });
});

testProgram("a program that prints for ever is ended, and one that waits has its seconds", async () => {
  const endless = await runText(program("while True: print('a' * 100000)\n"));
  expect(endless.decisions["app"]?.at(-1)?.summary).toBe("its reply has more than 4194304 bytes");
  const waiting = await runText(`${program("import time\ntime.sleep(100)\n")}policies: {budget: {max_seconds: 1}}\n`);
  expect(waiting.arms[0]).toMatchObject({ status: "limit_reached", stop_reason: "budget:seconds" });
});

testProgram("a program reaches no network, and no variable with a key", async () => {
  const source = `import os, socket
try:
    socket.create_connection(("192.0.2.1", 80), 1)
except OSError as error:
    print("good", "no network" if error.errno in (99, 101) else error, [n for n in os.environ if "ABEVAL_ENDPOINT" in n])
`;
  const { arms } = await runText(program(source));
  expect(arms[0].final_answer).toBe("good no network []\n");
});
