import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import type { Arm, VersionedArm } from "../../release/npm/library/api.ts";
import { functionsOf } from "../../release/npm/library/functions.ts";
import { abeval } from "../abeval.ts";
import { NODE } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { ARMS, comparing, POLITE, ROWS, told } from "./comparing.ts";
import { type Project, projectWithLibrary } from "./installed.ts";

let project: Project;
beforeAll(async () => {
  project = await projectWithLibrary();
});
afterAll(() => project[Symbol.dispose]());

for (const runtime of ["Node", "Bun"])
  testNeeding(...(runtime === "Node" ? [NODE] : []))(`two functions are compared in ${runtime}`, async () => {
    const text = comparing(
      `${ARMS}, checks: { ${POLITE} }, trials: 3`,
      "{ ...r, toJSON: undefined, text: String(r), page: r.html(), json: r }",
    );
    const { status, stdout, stderr } = await project.run(text, runtime === "Node" ? { runtime: "node" } : {});
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const found = JSON.parse(stdout);
    const line = "new_ solved 9 of 9, old 0 of 9: 100 points more";
    expect(found).toMatchObject({
      firstLine: expect.stringContaining(line),
      result: { measure: "solved", candidate: "new_", control: "old", n: 9, ahead: 9, behind: 0 },
      gate: { new_: "better", old: null },
      failures: [],
      text: found.lines.join("\n"),
      page: expect.stringContaining("100 points more"),
    });
    expect(found.json).toEqual(found.series);
  });

test("the same comparison from a file finds the same", async () => {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { trial, answer } = (await request.json()) as { trial: number; answer: string };
      if (request.url.includes("check")) return Response.json({ pass: answer.includes("please") });
      return Response.json({ answer: `${request.url.endsWith("new_") ? "please" : "no"} ${trial}` });
    },
  });
  await using _stopped = { [Symbol.asyncDispose]: async () => await server.stop(true) };
  const file = project.write(
    "functions.yaml",
    JSON.stringify({
      ...{ name: "functions", varies: ["endpoint"], inputs: JSON.parse(ROWS) },
      task: {
        prompt: "{{question}}",
        deliverable: "answer",
        probe: { checks: [{ id: "polite", posted: { url: `${server.url}check` }, required: true }] },
      },
      arms: ["old", "new_"].map((id) => ({ id, endpoint: { url: `${server.url}${id}` } })),
      rubric: { criteria: [{ id: "checks", measure: "probe_score" }], judge: { model: "builtin/evidence" } },
    }),
  );
  const here = await told(project, comparing(`${ARMS}, checks: { ${POLITE} }, trials: 3`));
  const { status, stdout } = await abeval(["run", file, "--trials", "3", "--quiet"]);
  expect(status).toBe(0);
  const there = JSON.parse(stdout);
  for (const field of ["counts", "result", "gate", "conclusion", "headline"])
    expect({ [field]: here[field] }).toEqual({ [field]: there[field] });
});

test("who does not know the secret is refused, and learns nothing", async () => {
  const arms = `arms: { old: () => "a", new_: async () => String((await fetch(await address(), { method: "POST", body: "{}" })).status) }`;
  const address = `import { readFileSync, readdirSync } from "node:fs";
const address = async () => {
  const port = readFileSync("/proc/self/net/tcp", "utf8").split("\\n").map((line) => line.trim().split(/\\s+/)).find(([, at = "", , state, , , , , , inode]) => state === "0A" && own(inode));
  return "http://127.0.0.1:" + parseInt(port[1].split(":")[1], 16) + "/arm/old";
};
const own = (inode) => readdirSync("/proc/self/fd").some((fd) => { try { return readlinkSync("/proc/self/fd/" + fd) === "socket:[" + inode + "]"; } catch { return false; } });
import { readlinkSync } from "node:fs";`;
  const script = address + comparing(`${arms}, checks: { is403: (answer) => answer === "403" }`, "r.result");
  expect(await told(project, script)).toMatchObject({ ahead: 3, behind: 0 });
});

test("what nobody can read the source of has no version, nor have two functions of one source", () => {
  const make = (word: string) => () => word;
  const versions = (arms: Readonly<Record<string, Arm | VersionedArm>>) =>
    functionsOf({ arms }).arms.map(({ version }) => version?.length);
  expect(versions({ bound: make("a").bind(null), native: String as Arm })).toEqual([undefined, undefined]);
  expect(versions({ a: make("a"), b: make("b") })).toEqual([undefined, undefined]);
  expect(versions({ a: () => "a", b: { run: make("b"), version: "seven" } })).toEqual([64, 5]);
});

/** Numbers of the processes that have this in their environment. */
const processesWith = (variable: string) =>
  readdirSync("/proc").filter((name) => /^\d+$/.test(name) && environmentOf(name).includes(variable));

function environmentOf(id: string): string[] {
  try {
    return readFileSync(`/proc/${id}/environ`, "utf8").split("\0");
  } catch {
    return []; // another user's, or gone
  }
}

test("a signal ends the run and the program, and leaves nothing", async () => {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    const child = project.start(
      comparing(
        `arms: { old: () => "a", new_: () => { console.log("asked"); return new Promise(() => {}); } }, checks: { ${POLITE} }`,
      ),
      { env: { TMPDIR: project.path } },
    );
    const reader = child.stdout.getReader();
    await reader.read();
    expect(processesWith(`TMPDIR=${project.path}`)).not.toEqual([]);
    child.kill(signal);
    await child.exited;
    expect(child.signalCode).toBe(signal);
  }
  expect(readdirSync(project.path).filter((name) => name.startsWith("abeval-"))).toEqual([]);
  expect(processesWith(`TMPDIR=${project.path}`)).toEqual([]);
});

test("an AbortSignal ends the run, and its reason is thrown", async () => {
  const script = `const stop = new AbortController();${comparing(
    `arms: { old: () => "a", new_: (row, { signal }) => { stop.abort(new Error("enough")); return new Promise((done) => signal.addEventListener("abort", () => done("late"))); } }, checks: { ${POLITE} }, signal: stop.signal`,
  ).replace("});\nconsole", "}).catch(({ message }) => message);\nconsole")}`;
  expect(await told(project, script)).toBe("enough");
});

test("matchers say whether the gate lets an arm pass, in the answer's own words", async () => {
  project.write(
    "gate.test.mjs",
    `import { expect, test } from "bun:test";
import { compare } from "abeval";
import * as matchers from "abeval/matchers";
expect.extend(matchers);
const rows = ${ROWS};
test("gate", async () => {
  const r = await compare({ rows, ${ARMS}, checks: { ${POLITE} }, trials: 3 });
  expect(r).toBeNotWorse("new_");
  expect(r).not.toBeNotWorse("old");
  expect(() => expect(r).toBeBetter("another")).toThrow("there is no arm another; there are ");
  expect(() => expect(Promise.resolve(r)).toBeBetter("new_")).toThrow("is an await missing?");
  expect(r).toBeBetter("old");
}, 60000);
`,
  );
  const child = Bun.spawn([process.execPath, "test", "./gate.test.mjs"], {
    ...{ cwd: project.path, stdout: "pipe", stderr: "pipe" },
    env: { PATH: process.env["PATH"] ?? "", HOME: "/dev/null/home" },
  });
  const stderr = await new Response(child.stderr).text();
  expect(stderr).toContain("new_ solved 9 of 9, old 0 of 9: 100 points more");
  expect(stderr).toContain("expect(received).toBeBetter(arm)");
});
