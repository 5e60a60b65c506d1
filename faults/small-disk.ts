import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { abeval } from "../test/abeval.ts";
import { serve } from "../test/http/served.ts";
import { jsonPost } from "../test/http/service.ts";
import { type Case, hold, numbered, Skip } from "./campaign.ts";
import { type CaseDirectories, openCaseDirectories } from "./case-directories.ts";
import { digestOf, isOneLine, seededState } from "./damage.ts";
import { checkStateDirectory } from "./invariants.ts";
import { writeLoads } from "./load.ts";
import { randomOfCase, whole } from "./random.ts";

const LARGEST_KB = 600;

/** Mounts a file system of `kilobytes` at the state directory, for the user `owner`. @throws Skip where that is not possible. */
export function smallDisk({ state }: CaseDirectories, kilobytes: number, owner = 0) {
  mkdirSync(state, { recursive: true });
  const mount = (...options: string[]) => Bun.spawnSync(["mount", ...options, state]).success;
  if (process.getuid?.() !== 0 || !mount("-t", "tmpfs", "-o", `size=${kilobytes}k,mode=700,uid=${owner}`, "none"))
    throw new Skip("only root may mount a small file system");
  return {
    resize: (size: number) => hold(mount("-o", `remount,size=${size}k`), "to resize the file system"),
    makeReadOnly: (ro: boolean) => hold(mount("-o", `remount,${ro ? "ro" : "rw"}`), "to remount the file system"),
    [Symbol.dispose]: () => void Bun.spawnSync(["umount", "-l", state]),
  };
}

/** The disk fills up somewhere in a run. Later there is space again. */
export const fullDiskCases = (seed: number, count: number): readonly Case[] =>
  numbered(count, (index) => {
    const random = randomOfCase(seed, index);
    const kilobytes = 8 + whole(random, LARGEST_KB);
    return index % 4 === 3 ? fullWhileServing(kilobytes) : fullInRun(kilobytes);
  });

const fullInRun = (kilobytes: number): Case => ({
  name: `run on a disk of ${kilobytes} kB`,
  async run() {
    using directories = openCaseDirectories();
    const file = join(writeLoads(directories.path, "1"), "scripted.yaml");
    using disk = smallDisk(directories, kilobytes);
    const args = ["run", file, "--quiet", "--state-dir", directories.state];
    const env = { TMPDIR: directories.scratch };
    const { status, stdout, stderr } = await abeval(args, { env });
    if (status !== 0) {
      hold(status === 1 || status === 2, "exit status 0, 1 or 2", { status, stderr });
      hold(isOneLine(stderr), "one line that tells what happened", stderr);
      hold(/no space left/.test(stderr), "a message about space", stderr);
    } else hold(stdout !== "", "a verdict");
    disk.resize(64 * 1024);
    const next = await abeval(args, { env });
    hold(next.status === 0, "the next run to succeed when there is space", next);
    await checkStateDirectory(directories.state);
  },
});

const fullWhileServing = (kilobytes: number): Case => ({
  name: `serve on a disk that has ${kilobytes} kB left`,
  async run() {
    using directories = openCaseDirectories();
    const scenarios = writeLoads(directories.path, "1");
    using disk = smallDisk(directories, 64 * 1024);
    const args = ["--scenarios-dir", scenarios, "--state-dir", directories.state, "--log", "none"];
    await using served = await serve(args, { TMPDIR: directories.scratch });
    const post = () => fetch(`${served.url}/api/runs`, jsonPost({ scenario: "scripted" }));
    const first = (await (await post()).json()) as { session_id: string };
    disk.resize(usedKilobytes(directories) + kilobytes);
    const answers = await Promise.all([post(), post()]);
    for (const answer of answers) {
      const text = await answer.text();
      hold(answer.status === 200 || answer.status === 507, "an outcome or 507", text);
    }
    const read = await fetch(`${served.url}/api/sessions/${first.session_id}`);
    hold(read.status === 200, "sessions to be read from a full disk", await read.text());
    disk.resize(64 * 1024);
    const after = await post();
    hold(after.status === 200, "runs to succeed when there is space", await after.text());
    await checkNobodyRuns(served.url);
    const { status } = await served.stop();
    hold(status === 0, "the server to stop with 0", served.log());
    await checkStateDirectory(directories.state);
  },
});

/** Every run of this server has ended, so no session may be listed as running. */
async function checkNobodyRuns(url: string): Promise<void> {
  const rows = (await (await fetch(`${url}/api/sessions`)).json()) as { session_id: string; state: string }[];
  const open = rows.filter(({ state }) => !/^(completed|failed|cancelled|interrupted)$/.test(state));
  hold(open.length === 0, "no session to look as if it still ran when the disk has space again", open);
}

export function usedKilobytes({ state }: CaseDirectories): number {
  const { stdout } = Bun.spawnSync(["df", "--output=used", "-k", state]);
  return Number(stdout.toString().split("\n")[1]);
}

const PROGRAMS = ["run", "serve", "mcp"] as const;

/** A directory that cannot be written is refused in one line, empty or with sessions, and nothing changes. */
export const readOnlyCases = (count: number): readonly Case[] =>
  numbered(count, (index) => {
    const program = PROGRAMS[index % PROGRAMS.length] ?? "run";
    const filled = index % 2 === 1;
    return {
      name: `${program} on a read-only directory ${filled ? "with a session" : "that is empty"}`,
      async run() {
        using directories = openCaseDirectories();
        const scenarios = writeLoads(directories.path, "1");
        using disk = smallDisk(directories, 64 * 1024);
        if (filled) await seededState(directories.state);
        else writeFileSync(join(directories.state, "note"), "");
        disk.makeReadOnly(true);
        const before = digestOf(directories.state);
        const words = program === "run" ? [join(scenarios, "scripted.yaml")] : ["--scenarios-dir", scenarios];
        const address = program === "serve" ? ["--addr", "127.0.0.1:0"] : [];
        const { status, stdout, stderr } = await abeval([
          program,
          ...words,
          ...address,
          "--state-dir",
          directories.state,
        ]);
        hold(status === 2 && stdout === "", "exit status 2 and an empty stdout", { status, stdout, stderr });
        hold(isOneLine(stderr) && /read-only|writable/.test(stderr), "one line that says it cannot be written", stderr);
        hold(
          digestOf(directories.state) === before,
          "nothing in the directory to change",
          readdirSync(directories.state),
        );
      },
    };
  });
