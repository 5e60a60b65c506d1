import { join } from "node:path";

const LOGS = join(import.meta.dir, "logs");

export const BROKEN = "exports.add = (a, b) => a - b;\n";

export const PATCH = `diff --git a/calc.js b/calc.js
--- a/calc.js
+++ b/calc.js
@@ -1 +1 @@
-exports.add = (a, b) => a - b;
+exports.add = (a, b) => a + b;
`;

export const CLAUDE_LOG = "claude-code-2.1.197.jsonl";
export const CODEX_LOG = "codex-0.169.0.jsonl";
export const TRAJECTORY = "trajectory.json";

export const logText = (name: string): Promise<string> => Bun.file(join(LOGS, name)).text();

/** Files of a scenario about `calc.js`, with logs that real agents wrote in `runs/`. */
export async function importedFiles(parts: object, extra: Readonly<Record<string, string>> = {}) {
  const logs = [CLAUDE_LOG, CODEX_LOG, TRAJECTORY].map(async (name) => [`runs/${name}`, await logText(name)] as const);
  return {
    ...Object.fromEntries(await Promise.all(logs)),
    "runs/mended.patch": PATCH,
    "runs/nothing.patch": "",
    "runs/after/calc.js": BROKEN.replace("-", "+"),
    "runs/answer.txt": "It adds now.\n",
    "calc.yaml": JSON.stringify({ ...SCENARIO, ...parts }),
    ...extra,
  };
}

const SCENARIO = {
  name: "calc",
  task: {
    prompt: "In calc.js, add must add.",
    fixture: { files: { "calc.js": BROKEN } },
    probe: { checks: [{ id: "adds", run: "grep -q 'a + b' calc.js", before: "fail", required: true }] },
  },
  rubric: { criteria: [{ measure: "probe_score" }], judge: { model: "builtin/evidence" } },
};

export const ran = (log: string, change?: string) => ({
  log: `runs/${log}`,
  ...(change !== undefined && { change: `runs/${change}` }),
});
