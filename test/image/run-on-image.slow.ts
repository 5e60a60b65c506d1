import { afterAll, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { prepareSession } from "../../src/comparison/planning/prepare-session.ts";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import { capabilitiesOf } from "../../src/comparison/session/workers/capabilities.ts";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { abeval } from "../abeval.ts";
import { runOnce, testServices } from "../harness.ts";
import { SANDBOX, STATIC_BUSYBOX } from "../machine.ts";
import { describeNeeding, testNeeding } from "../needs.ts";
import { failureOf } from "../scenario/scenario-folder.ts";
import { temporaryDirectory } from "../temporary.ts";
import { dockerArchive, idOf, type LayerEntry, layerOf, writeLayout } from "./make-image.ts";
import { taskImage, writeTask } from "./task-image.ts";

/** Two images are unpacked in all these tests: where they lie is shared. */
const CACHE = temporaryDirectory();
chmodSync(CACHE.path, 0o755);
afterAll(() => CACHE[Symbol.dispose]());
const services = (changes = {}) => testServices({}, { image_cache: join(CACHE.path, "images"), ...changes });

const run = async (path: string) => (await runOnce(services(), await loadScenarioFile(path))).outcome;

const outputs = ({ decisions }: SessionOutcome) =>
  decisions["works"]?.flatMap(({ kind, detail }) =>
    kind === "tool_call" && detail ? detail.output.replace(/\[exit code 0\]$/, "") : [],
  ) ?? [];

/** What commands print, each run by an arm in an image. */
async function printed(
  commands: readonly string[],
  task: object = {},
  parts = taskImage(),
): Promise<readonly string[]> {
  using place = temporaryDirectory();
  const script = commands.map((command) => ({ calls: [{ run_command: { command } }] }));
  const outcome = await run(writeTask(place.path, parts, task, script));
  if (outcome.failure) throw new Error(outcome.failure.message);
  return outputs(outcome);
}

const TEST_PATCH = {
  files: { "test.sh": ". ./add.sh\ntest $(add 2 3) = 5\n" },
  checks: [{ id: "fail-to-pass", run: "sh test.sh", before: "fail", required: true }],
};
const GOLD = "--- a/add.sh\n+++ b/add.sh\n@@ -1 +1 @@\n-add() { echo $(($1 - $2)); }\n+add() { echo $(($1 + $2)); }\n";

describeNeeding(SANDBOX, STATIC_BUSYBOX)("a run on an image", () => {
  test("begins with what lies at the image's working directory: the gold patch passes, an empty one fails", async () => {
    using place = temporaryDirectory();
    const script = [{ calls: [{ edit_file: { path: "/testbed/add.sh", old: "$1 - $2", new: "$1 + $2" } }] }];
    writeFileSync(join(place.path, "gold.patch"), GOLD);
    const task = { probe: TEST_PATCH, reference_fix: { patch: "gold.patch" } };
    const { arms, settings, failure } = await run(writeTask(place.path, taskImage(), task, script));
    expect({ failure, sandbox: settings.sandbox }).toEqual({ failure: null, sandbox: "bubblewrap" });
    expect(arms.map(({ probe }) => probe?.checks.map(({ status }) => status))).toEqual([["pass"], ["fail"]]);
    expect(arms.map(({ changes }) => changes?.files.map(({ path }) => path) ?? [])).toEqual([["add.sh"], []]);
  });

  test("has the image's programs, variables and user, and nothing of this machine", async () => {
    const [seen, host, user] = await printed([
      'pwd; echo "$TASK $HOME"; cat /usr/lib/data.txt; echo $PATH',
      "ls / /opt /home; test -e /usr/bin/python3; echo $?; test -e /etc/alternatives; echo $?",
      "id -u; id -g; stat -c %u /bin/busybox; grep processes /proc/self/limits; ulimit -f",
    ]);
    expect(seen).toBe("/testbed\nadding /home/agent\nof the image\n/bin\n");
    expect(host).toMatch(
      /^ls: \/opt: No such file or directory\n\/:\nbin\ndev\netc\nhome\nproc\nrun\ntestbed\ntmp\nusr\n\n\/home:\nagent\nother\n1\n1\n/,
    );
    expect(user).toEqual(expect.stringMatching(/^0\n0\n0\nMax processes +256 +256 +processes \n524288\n$/));
  });

  test("that is to be a repository needs a git of the image, and has no history of it", async () => {
    const history = [{ path: "testbed/.git/refs/heads/fix", text: "of later days" }];
    const git = [{ path: "bin/git", text: "#!/bin/sh\nexit 0\n", mode: 0o755 }];
    const task = { fixture: { repository: true } };
    const look = ["ls -A; ls .git"];
    expect(await printed(look, task, taskImage(history, git))).toEqual([
      expect.stringMatching(/^README\nadd.sh\nown\nls: .git: No such file/),
    ]);
    await expect(printed(look, task, taskImage(history))).rejects.toThrow(
      "task.fixture.repository: no commit could be made (exit code 127): there is no git",
    );
  });

  test("cannot write the image, reach a network, or gain rights by set-uid programs", async () => {
    const evil = [{ path: "bin/setuid", text: "#!/bin/sh\nid -u\n", mode: 0o6755 }];
    const [writes, reaches, gains] = await printed(
      [
        "for p in /x /bin/x /etc/hosts /usr/lib/data.txt /home/x /run/x /dev/x /proc/sys/x; do echo x > $p && echo wrote $p; done 2>/dev/null; chmod 777 /bin/busybox 2>/dev/null && echo changed; mkdir /bin/d 2>/dev/null && echo made; rm /usr/lib/data.txt 2>/dev/null && echo removed; echo end",
        "nc -w 1 127.0.0.1 22 </dev/null && echo reached; wget -T 2 -qO- http://1.1.1.1 && echo reached; cat /proc/net/dev | grep -c :",
        "stat -c %a /bin/setuid; grep NoNewPrivs /proc/self/status; grep CapEff /proc/self/status; grep CapBnd /proc/self/status",
      ],
      {},
      taskImage(evil),
    );
    expect(writes).toBe("end\n");
    expect(reaches).toMatch(/1\n$/);
    expect(reaches).not.toContain("reached");
    expect(gains).toBe("755\nNoNewPrivs:\t1\nCapEff:\t0000000000000000\nCapBnd:\t0000000000000000\n");
  });

  test("shows no link of the image to the host: neither as deliverable, nor to a tool, nor in a check's copy", async () => {
    using place = temporaryDirectory();
    writeFileSync(join(place.path, "secret"), "secret of the host\n");
    const links = ["/etc/passwd", "../../../../../../../../etc/passwd", join(place.path, "secret")].map(
      (link, index) => ({
        ...{ path: `testbed/l${index}`, type: "SymbolicLink" as const, link },
      }),
    );
    const script = [
      { calls: [0, 1, 2].map((index) => ({ read_file: { path: `l${index}` } })) },
      { calls: [{ run_command: { command: "cat l0 l2; ln -s /etc/shadow n; echo new > add.sh" } }] },
    ];
    const probe = { checks: [{ id: "same", run: "cat l0 l1; test ! -e l2" }] };
    const outcome = await run(writeTask(place.path, taskImage(links), { probe }, script));
    expect(outcome.failure).toBeNull();
    expect(JSON.stringify(outcome)).not.toContain("secret of the host");
    expect(JSON.stringify(outcome)).not.toContain("/bin/bash");
    expect(outputs(outcome).slice(0, 3)).toEqual([
      expect.stringContaining("is outside the workspace"),
      expect.stringContaining("is outside the workspace"),
      expect.stringContaining("is outside the workspace"),
    ]);
    expect(outcome.arms[0]?.probe?.checks).toMatchObject([
      { status: "pass", output: "root:x:0:0::/root:/bin/sh\n".repeat(2) },
    ]);
  });

  test("may be mounted elsewhere, with files of its own, and have more beside it", async () => {
    using place = temporaryDirectory();
    mkdirSync(join(place.path, "data"));
    writeFileSync(join(place.path, "data/d"), "d\n");
    const fixture = {
      files: { own: "own\n" },
      at: "/usr/src/app",
      also: { "/srv/data": "data", "/home/log": { private: true } },
    };
    const script = [
      {
        calls: [
          {
            run_command: {
              command:
                "pwd; ls; cat /srv/data/d; echo l > /home/log/l && cat /home/log/l; ls /home /usr/lib; ls /testbed",
            },
          },
        ],
      },
    ];
    const outcome = await run(writeTask(place.path, taskImage(), { fixture }, script));
    expect(outputs(outcome)).toEqual([
      "/usr/src/app\nown\nd\nl\n/home:\nagent\nlog\nother\n\n/usr/lib:\ndata.txt\nREADME\nadd.sh\nown\n",
    ]);
  });

  test("runs as the user that the image names, and sets up there", async () => {
    const parts = taskImage();
    const named = { ...parts, config: { ...parts.config, User: "1234:77" } };
    const [who] = await printed(["id -u; id -g; stat -c %u add.sh; cat made"], { setup: ["echo $TASK > made"] }, named);
    expect(who).toBe("1234\n77\n1234\nadding\n");
  });

  test("is refused where the image cannot be what it should", async () => {
    using place = temporaryDirectory();
    const parts = taskImage();
    const refusal = async (config: object, layers = parts.layers) => {
      const path = writeTask(place.path, { ...parts, layers, config: { ...parts.config, ...config } }, {}, [
        { calls: [{ run_command: { command: "true" } }] },
      ]);
      return await runOnce(services(), await loadScenarioFile(path)).then(
        ({ outcome }) => outcome.failure?.message,
        ({ message }: Error) => message,
      );
    };
    expect(await refusal({ WorkingDir: "/usr" })).toContain(
      "its working directory /usr cannot be the workspace: it would cover /usr",
    );
    expect(await refusal({}, [layerOf([{ path: "a", text: "a" }])])).toBe(
      "task.image: images/task.tar has no /bin/sh, which commands need; build it on an image with a shell, such as debian or alpine",
    );
    const shell = (...entries: readonly LayerEntry[]) => refusal({}, [...parts.layers, layerOf(entries)]);
    const executable = { path: "bin/sh", mode: 0o755 };
    expect(await shell({ path: "bin/sh", text: "x", mode: 0o644 })).toContain(
      "has a /bin/sh that is no executable file; put a shell there, with chmod 755",
    );
    expect(await shell({ ...executable, text: "#! /not/there\n" })).toContain(
      'lacks "/not/there", with which its /bin/sh',
    );
    // The shell of this machine needs its loader, and the image has none.
    expect(await shell({ ...executable, text: readFileSync("/bin/sh") })).toContain("lacks ");
    expect(await shell({ ...executable, text: "no program at all" })).toContain(
      "no program of the task's image can be started: bwrap: execvp /bin/sh: ",
    );
    expect(await refusal({ User: "stranger" })).toContain('runs as "stranger", whom its /etc/passwd');
  });

  test("finds an image that is named by a digest among those of --images-dir, and a worker says that it has it", async () => {
    using place = temporaryDirectory();
    const parts = taskImage();
    const manifest = writeLayout(join(place.path, "all/one"), parts);
    writeFileSync(join(place.path, "all/note.txt"), "none");
    const images_dir = join(place.path, "all");
    const path = writeTask(place.path, parts, { image: { path: "images/gone.tar", digest: `sha256:${manifest}` } });
    const loaded = await loadScenarioFile(path);
    expect(loaded.definition.task.image).toEqual({ path: "images/gone.tar", digest: manifest });
    expect((await runOnce(services({ images_dir }), loaded)).outcome.failure).toBeNull();
    expect(await failureOf(prepareSession(services(), loaded, {}))).toMatchObject({
      message: "task.image: images/gone.tar is not beside the scenario file, and there is no --images-dir",
    });
    expect(await capabilitiesOf(services({ images_dir }), [])).toEqual(
      expect.arrayContaining([`image:${idOf(parts)}`, `image:${manifest}`]),
    );
  });
});

testNeeding(STATIC_BUSYBOX)("doctor tells of the image, and of one that nobody has", async () => {
  using place = temporaryDirectory();
  const found = async (task: object) => {
    const path = writeTask(place.path, taskImage(), task);
    const { stdout } = await abeval(["run", "--check", path], { env: { XDG_CACHE_HOME: CACHE.path } });
    return /Image of the task: (.*)/.exec(stdout)?.[1];
  };
  const digest = `sha256:${"1".repeat(64)}`;
  expect([await found({}), await found({ image: { path: "images/none.tar", digest } })]).toEqual([
    expect.stringMatching(/^images\/task\.tar \(sha256:[0-9a-f]{12}\), workspace at \/testbed$/),
    "task.image: images/none.tar is not beside the scenario file, and there is no --images-dir",
  ]);
});

testNeeding(STATIC_BUSYBOX)("a file that names an image is refused where it is none, at its line", async () => {
  using place = temporaryDirectory();
  const path = writeTask(place.path, taskImage(), {});
  writeFileSync(join(place.path, "images/task.tar"), "x".repeat(1_000));
  expect((await failureOf(loadScenarioFile(path))).message).toMatch(
    /onimage\.yaml:1:\d+ task\.image: images\/task\.tar is no tar archive$/,
  );
  writeFileSync(join(place.path, "images/task.tar"), dockerArchive(taskImage()));
  const other = writeTask(place.path, taskImage(), {
    image: { path: "images/task.tar", digest: `sha256:${"0".repeat(64)}` },
  });
  expect((await failureOf(loadScenarioFile(other))).message).toContain("not the image that `digest` names");
});
