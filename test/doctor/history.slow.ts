import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { diagnose } from "../../src/doors/doctor/doctor.ts";
import { GIT } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { scenarioFolder } from "../scenario/scenario-folder.ts";
import { goodScenario, never, servicesOver } from "./small-scenario.ts";

const draft = goodScenario();

const small = (fixture: object) => JSON.stringify({ ...draft, task: { ...draft.task, fixture } });

async function historyOf(directory: string, name = "small"): Promise<unknown> {
  const { checks } = await diagnose(servicesOver(directory), name, never);
  const found = checks.find(({ id }) => id === "fixture.history");
  return found && { status: found.status, detail: found.detail };
}

testNeeding(GIT)(
  "a fixture whose history holds the fix is a warning, until it is a repository of one commit",
  async () => {
    await using folder = await scenarioFolder({
      "small.yaml": small({ dir: "here" }),
      "fresh.yaml": small({ dir: "here", repository: true }).replace('"small"', '"fresh"'),
      "here/hello.txt": "Hello wold, nice to see you\n",
      "here/notes.md": "keep me\n",
    });
    const here = folder.path("here");
    const env = { PATH: process.env["PATH"] ?? "", GIT_CONFIG_GLOBAL: "/dev/null", HOME: folder.directory };
    const git = (...args: readonly string[]) => {
      const who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "gc.auto=0"];
      const { exitCode, stdout, stderr } = Bun.spawnSync(["git", "-C", here, ...who, ...args], { env });
      if (exitCode !== 0) throw new Error(stderr.toString());
      return stdout.toString().trim();
    };
    git("init", "-q", "-b", "main");
    git("add", ".");
    git("commit", "-q", "-m", "Greet");
    const only = { status: "pass", detail: ".git: 1 commit, the last of them is checked out" };
    expect(await historyOf(folder.directory)).toEqual(only);

    writeFileSync(`${here}/hello.txt`, "Hello world, nice to see you\n");
    git("commit", "-q", "-a", "-m", "Add the letter");
    const fix = git("rev-parse", "--short", "HEAD");
    const later = (example: string) => ({
      status: "warn",
      detail: `.git: 1 commit is not an ancestor of the checked-out one${example}: the arms can read later commits, such as the fix`,
    });
    git("checkout", "-q", "--detach", "HEAD~");
    expect(await historyOf(folder.directory)).toEqual(later(` (${fix} Add the letter)`));
    // Nobody names it any more, and `git fsck` finds it.
    git("branch", "-q", "-f", "main", "HEAD");
    git("reflog", "expire", "--expire=now", "--all");
    expect(await historyOf(folder.directory)).toEqual(later(""));

    git("checkout", "-q", fix);
    writeFileSync(`${here}/hello.txt`, "Hello wold, nice to see you\n");
    expect(await historyOf(folder.directory)).toEqual({
      status: "warn",
      detail: expect.stringMatching(/^\.git\/.*: the arms can read it, and it may hold the fix$/),
    });
    expect(await historyOf(folder.directory, "fresh")).toEqual({ status: "pass", detail: "none found" });
  },
);
