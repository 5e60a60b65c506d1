import { expect } from "bun:test";
import { chmodSync, readdirSync } from "node:fs";
import { symlink } from "node:fs/promises";
import type { ScenarioFile } from "../../src/comparison/scenario/authored/scenario-file.ts";
import { abeval } from "../abeval.ts";
import { dockerArchive, type ImageParts, idOf, layerOf, writeLayout } from "../image/make-image.ts";
import { busyboxLayer, taskImage } from "../image/task-image.ts";
import { GIT, SANDBOX, STATIC_BUSYBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { scenarioFolder } from "../scenario/scenario-folder.ts";
import { containerTask } from "../task-sets.ts";

/** An image that has what a task's Dockerfile says, and a shell by the name that its scripts ask for. */
const image = (...references: readonly string[]): ImageParts => ({
  layers: [
    busyboxLayer(),
    layerOf([
      { path: "bin/bash", text: '#!/bin/sh\nexec sh "$@"\n', mode: 0o755 },
      { path: "app/in.txt", text: "hello\n" },
      { path: "data/only-here.txt", text: "of the image\n" },
    ]),
  ],
  config: { WorkingDir: "/app", Env: ["PATH=/bin"] },
  references,
});

const SOLUTION = "cp /app/in.txt /app/out.txt\n";
const SCRIPT = 'grep -q image /data/only-here.txt && grep -qx hello /app/out.txt && test -f "$TEST_DIR/wanted.txt"';

testNeeding(SANDBOX, STATIC_BUSYBOX)(
  "a task runs on the image that is called as it is, or as the image that it names, and the others are counted",
  async () => {
    const built = { solution: SOLUTION, script: SCRIPT };
    const named = (docker_image: string) => ({
      "task.toml": `version = "1.0"\n[environment]\ndocker_image = ${JSON.stringify(docker_image)}\n`,
    });
    await using folder = await scenarioFolder({
      // Several stages are built where the image is.
      ...containerTask("set/built", { form: "terminal-bench", ...built, dockerfile: "FROM debian\n" }),
      ...containerTask("set/gone", { form: "harbor", ...built, more: named("example.org/gone:1") }),
      ...containerTask("set/layout", { form: "harbor", ...built, more: named("docker.io/team/layout:2") }),
      ...containerTask("set/plain", { form: "harbor", solution: SOLUTION }),
      ...containerTask("set/tagged", { form: "harbor", ...built, more: named("example.org/tasks/tagged") }),
      ...containerTask("set/where", { form: "terminal-bench", ...built }),
    });
    await Bun.write(folder.path("images/built.tar"), dockerArchive(image()));
    await Bun.write(folder.path("images/a\n\u001b[31mb.tar"), dockerArchive(image("example.org/tasks/tagged:latest")));
    await Bun.write(folder.path("images/where.tar"), dockerArchive({ ...image(), config: { WorkingDir: "/etc" } }));
    await Bun.write(folder.path("images/broken.tar"), "no image");
    writeLayout(folder.path("images/team_layout_2"), image());
    await symlink("/etc/passwd", folder.path("images/gone.tar"));
    chmodSync(folder.directory, 0o755);
    const env = { XDG_CACHE_HOME: folder.path("cache") };
    const ask = (...args: readonly string[]) =>
      abeval([...args, "--images-dir", "images"], { cwd: folder.directory, env });

    const { status, stdout } = await ask("run", "--new", "evals", "--from=set", "--quiet");
    expect(status).toBe(0);
    expect(await Bun.file(folder.path("evals/conversion.json")).json()).toEqual({
      made: [
        { task: "built", scenario: "built.yaml", reference: "passed", image: "built.tar" },
        { task: "layout", scenario: "layout.yaml", reference: "passed", image: "team_layout_2" },
        { task: "plain", scenario: "plain.yaml", reference: "passed" },
        { task: "tagged", scenario: "tagged.yaml", reference: "passed", image: "a\n\u001b[31mb.tar" },
      ],
      refused: [
        { task: "gone", reason: "needs an image: example.org/gone:1" },
        { task: "where", reason: "works in a system path: /etc, which would cover /etc, which the sandbox needs" },
      ],
    });
    expect(stdout).toContain(
      "     3    on an image of --images-dir\n     1    on this machine: no image there is theirs\n",
    );
    const { task } = Bun.YAML.parse(await Bun.file(folder.path("evals/built.yaml")).text()) as ScenarioFile;
    expect(task).toMatchObject({
      image: { path: "built.tar", digest: `sha256:${idOf(image())}` },
      fixture: { also: { "/tests": { private: true }, "/logs": { private: true } } },
    });
    expect(readdirSync(folder.path("evals/built")).sort()).toEqual(["probe", "reference.patch"]);
    const check = await ask("run", "--check", "evals/built.yaml", "--quiet");
    expect(check.stdout).toContain("evals/built.yaml: ready\n");
  },
);

const ADD = "add() { echo $(($1 - $2)); }\n";
const patch = (path: string, before: string, after: string) =>
  `--- ${before === "" ? "/dev/null" : `a/${path}`}\n+++ b/${path}\n@@ -${before === "" ? "0,0" : "1"} +1 @@\n${before && `-${before}`}+${after}`;

testNeeding(
  SANDBOX,
  STATIC_BUSYBOX,
  GIT,
)("a row of SWE-bench runs on its image, as a repository of one commit", async () => {
  await using folder = await scenarioFolder({ "add.sh": ADD });
  const git = (...args: readonly string[]) =>
    Bun.spawnSync(["git", "-C", folder.directory, ...args])
      .stdout.toString()
      .trim();
  git("init", "-q");
  git("add", "add.sh");
  git("-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "-m", "Subtract");
  await Bun.write(
    folder.path("rows.jsonl"),
    JSON.stringify({
      instance_id: "Team__adder-1",
      base_commit: git("rev-parse", "HEAD"),
      problem_statement: "It subtracts.",
      patch: patch("add.sh", ADD, "add() { echo $(($1 + $2)); }\n"),
      test_patch: patch("test_add.py", "", "def test_add(): pass\n"),
      FAIL_TO_PASS: ["test_add.py::test_add"],
    }),
  );
  // A python3 that looks at the sum, and a git that does nothing.
  const programs = [
    { path: "bin/python3", text: '#!/bin/sh\n. ./add.sh\ntest "$(add 1 2)" = 3\n', mode: 0o755 },
    { path: "bin/git", text: "#!/bin/sh\nexit 0\n", mode: 0o755 },
  ];
  const parts = { ...taskImage(programs), references: ["swebench/sweb.eval.x86_64.team_1776_adder-1:latest"] };
  await Bun.write(folder.path("images/one.tar"), dockerArchive(parts));
  chmodSync(folder.directory, 0o755);
  const { status, stdout } = await abeval(
    ["run", "--new", "one.yaml", "--from=rows.jsonl", "--images-dir=images", "--quiet"],
    { cwd: folder.directory, env: { XDG_CACHE_HOME: folder.path("cache") } },
  );
  expect(stdout).toContain("one.yaml: ready");
  expect(status).toBe(0);
  const { task } = Bun.YAML.parse(await Bun.file(folder.path("one.yaml")).text()) as ScenarioFile;
  expect(task).toMatchObject({
    image: { path: "one.tar", digest: `sha256:${idOf(parts)}` },
    fixture: { repository: true },
    probe: { checks: [{ before: "fail", required: true, run: expect.stringContaining("envs/testbed/bin") }] },
  });
});
