import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json";
import { archiveName, TARGETS } from "../../release/targets.ts";
import { PROGRAM, ROOT } from "../abeval.ts";
import { EXAMPLE_TOOLS, type Need } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { temporaryDirectory } from "../temporary.ts";
import { ARCHIVE, provideRelease, ran } from "./given-release.ts";
import { writeRelease } from "./small-release.ts";

/** Asked only when there is a release to build from. */
const ENGINE: Need = {
  what: "a container engine (apt-get install docker.io)",
  met: ARCHIVE.met && Bun.which("docker") !== null && Bun.spawnSync(["docker", "info"]).exitCode === 0,
};
/** What docs/docker.md tells to open. */
const OPENED = ["seccomp=unconfined", "apparmor=unconfined", "systempaths=unconfined"];
const IMAGE = `abeval-test-${process.pid}`;

const directory = temporaryDirectory();
afterAll(() => directory[Symbol.dispose]());

/** The Dockerfile's lines, each whole, without comments. */
const lines = readFileSync(join(ROOT, "Dockerfile"), "utf8")
  .replaceAll(/^#.*\n/gm, "")
  .replaceAll(/\\\n\s*/g, "")
  .split("\n");

const instructions = (name: string) =>
  lines.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));

const wordsOf = (name: string): string[] =>
  JSON.parse(
    instructions(name)
      .at(-1)
      ?.replace(/^.*?\[/, "[") ?? "[]",
  );

test("the image is built from files of a release, and its server is not root", () => {
  const [copied = ""] = instructions("COPY");
  const patterns = copied.split(" ").slice(0, -1);
  const linux = TARGETS.filter(({ os }) => os === "linux").map((target) => archiveName(manifest.version, target));
  const unmatched = [...linux, "install.sh", "SHA256SUMS"].filter(
    (name) => !patterns.some((pattern) => new Bun.Glob(pattern).match(name)),
  );
  expect(unmatched).toEqual([]);
  expect(instructions("USER")).toEqual(["10001:10001"]);
  expect(wordsOf("CMD")).toContain(instructions("VOLUME")[0] ?? "the directory of the volume");
});

testNeeding(...EXAMPLE_TOOLS)(
  "what it installs is what it starts, and its health is asked where it listens",
  async () => {
    const [release, to] = [join(directory.path, "release"), join(directory.path, "to")];
    const program = `#!/bin/sh\nexec ${PROGRAM.map((part) => `'${part}'`).join(" ")} "$@"\n`;
    writeRelease(release, { version: manifest.version, program });
    const [install = ""] = instructions("RUN").filter((line) => line.includes("install.sh"));
    const own = install.replace("/release/install.sh", join(ROOT, "install.sh")).replace("/release", release);
    ran(["sh", "-c", own.replace("/installed", to)]);
    const here = (word: string) =>
      word.replace("/usr/local", to).replace("/var/lib", directory.path).replace("0.0.0.0:8080", "127.0.0.1:0");
    expect(wordsOf("ENTRYPOINT")).toEqual(["tini", "--", "abeval"]);
    const child = Bun.spawn([join(to, "bin/abeval"), ...wordsOf("CMD").map(here)], { stdin: "ignore", stderr: "pipe" });
    const answers: number[] = [];
    for await (const chunk of child.stderr) {
      const [, url] = /listening on (http:\/\/\S+)/.exec(Buffer.from(chunk).toString()) ?? [];
      if (url === undefined) continue;
      const ask = wordsOf("HEALTHCHECK").map((word) => word.replace("http://127.0.0.1:8080", url));
      answers.push(await Bun.spawn(ask).exited, (await fetch(url)).status);
      child.kill(instructions("STOPSIGNAL")[0] as NodeJS.Signals); // the test fails on any other word
    }
    expect({ answers, status: await child.exited }).toEqual({ answers: [0, 200], status: 0 });
  },
);

testNeeding(ARCHIVE, ENGINE)(
  "the image has the sandbox where its container is opened, serves as nobody, and stops when it is told",
  async () => {
    const release = join(directory.path, "built");
    provideRelease(release);
    ran(["docker", "build", "--quiet", "--network", "host", "--tag", IMAGE, release]);
    const run = ["docker", "run", "--rm", "--network", "none"];
    try {
      expect(ran([...run, IMAGE, "--version"])).toBe(`${manifest.version}\n`);
      const check = ["run", "--check", "/usr/local/share/abeval/scenarios/pager-last-page.yaml"];
      const options = OPENED.flatMap((option) => ["--security-opt", option]);
      const hardened = ["--cap-drop", "ALL", "--security-opt", "no-new-privileges"];
      expect(ran([...run, ...options, ...hardened, IMAGE, ...check])).toContain("tried here: a command can neither");
      const id = ran(["docker", "run", "--detach", "--network", "none", IMAGE]).trim();
      await listening(id);
      ran(["docker", "exec", id, ...wordsOf("HEALTHCHECK")]);
      expect(ran(["docker", "exec", id, "stat", "-c", "%u %a", "/var/lib/abeval/sessions.db"])).toBe("10001 600\n");
      ran(["docker", "stop", "--time", "60", id]);
      expect(ran(["docker", "inspect", "--format", "{{.State.ExitCode}}", id])).toBe("0\n");
      ran(["docker", "rm", "--volumes", id]);
    } finally {
      ran(["docker", "image", "rm", "--force", IMAGE]);
    }
  },
  900_000,
);

async function listening(id: string): Promise<void> {
  const log = Bun.spawn(["docker", "logs", "--follow", id], { stdout: "ignore", stderr: "pipe" });
  for await (const chunk of log.stderr) if (Buffer.from(chunk).toString().includes("listening on")) break;
  log.kill();
  await log.exited;
}
