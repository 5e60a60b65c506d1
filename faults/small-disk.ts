import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { abeval } from "../test/abeval.ts";
import { serve } from "../test/http/served.ts";
import { jsonPost } from "../test/http/service.ts";
import { type Case, hold, numbered, Skip } from "./campaign.ts";
import { digestOf, isOneLine, seededState } from "./damage.ts";
import { aGround, type Ground } from "./ground.ts";
import { checkStateDirectory } from "./invariants.ts";
import { writeLoads } from "./load.ts";
import { randomOfCase, whole } from "./random.ts";

const LARGEST_KB = 600;

/** A file system of `kilobytes` at the case's state directory. @throws Skip where none can be mounted. */
function smallDisk({ state }: Ground, kilobytes: number) {
  mkdirSync(state, { recursive: true });
  const mount = (...options: string[]) => Bun.spawnSync(["mount", ...options, state]).success;
  if (process.getuid?.() !== 0 || !mount("-t", "tmpfs", "-o", `size=${kilobytes}k,mode=700`, "none"))
    throw new Skip("only root may mount a small file system");
  return {
    resize: (size: number) => hold(mount("-o", `remount,size=${size}k`), "to resize the file system"),
    makeReadOnly: (ro: boolean) => hold(mount("-o", `remount,${ro ? "ro" : "rw"}`), "to remount the file system"),
    [Symbol.dispose]: () => void Bun.spawnSync(["umount", "-l", state]),
  };
}

/** The disk fills up somewhere in a run; then there is space again. */
export const fullDiskCases = (seed: number, count: number): readonly Case[] =>
  numbered(count, (index) => {
    const random = randomOfCase(seed, index);
    const kilobytes = 8 + whole(random, LARGEST_KB);
    return index % 4 === 3 ? fullWhileServing(kilobytes) : fullInRun(kilobytes);
  });

const fullInRun = (kilobytes: number): Case => ({
  name: `run on a disk of ${kilobytes} kB`,
  async run() {
    using ground = aGround();
    const file = join(writeLoads(ground.path, "1"), "scripted.yaml");
    using disk = smallDisk(ground, kilobytes);
    const args = ["run", file, "--quiet", "--state-dir", ground.state];
    const env = { TMPDIR: ground.scratch };
    const { status, stdout, stderr } = await abeval(args, { env });
    if (status !== 0) {
      hold(status === 1 || status === 2, "exit status 0, 1 or 2", { status, stderr });
      hold(isOneLine(stderr), "one line that tells what happened", stderr);
      hold(/no space left/.test(stderr), "a message about space", stderr);
    } else hold(stdout !== "", "a verdict");
    disk.resize(64 * 1024);
    const next = await abeval(args, { env });
    hold(next.status === 0, "the next run to succeed when there is space", next);
    checkStateDirectory(ground.state);
  },
});

const fullWhileServing = (kilobytes: number): Case => ({
  name: `serve on a disk that has ${kilobytes} kB left`,
  async run() {
    using ground = aGround();
    const scenarios = writeLoads(ground.path, "1");
    using disk = smallDisk(ground, 64 * 1024);
    const args = ["--scenarios-dir", scenarios, "--state-dir", ground.state, "--log", "none"];
    await using served = await serve(args, { TMPDIR: ground.scratch });
    const post = () => fetch(`${served.url}/api/runs`, jsonPost({ scenario: "scripted" }));
    const first = (await (await post()).json()) as { session_id: string };
    disk.resize(usedKilobytes(ground) + kilobytes);
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
    checkStateDirectory(ground.state);
  },
});

/** Every run of this server has ended, so none may look as if it went on. */
async function checkNobodyRuns(url: string): Promise<void> {
  const rows = (await (await fetch(`${url}/api/sessions`)).json()) as { session_id: string; state: string }[];
  const open = rows.filter(({ state }) => !/^(completed|failed|cancelled|interrupted)$/.test(state));
  hold(open.length === 0, "no session to look as if it still ran when the disk has space again", open);
}

function usedKilobytes({ state }: Ground): number {
  const { stdout } = Bun.spawnSync(["df", "--output=used", "-k", state]);
  return Number(stdout.toString().split("\n")[1]);
}

const PROGRAMS = ["run", "serve", "mcp"] as const;

/** A directory that cannot be written, empty or with sessions in it: refused in one line, nothing changed. */
export const readOnlyCases = (count: number): readonly Case[] =>
  numbered(count, (index) => {
    const program = PROGRAMS[index % PROGRAMS.length] ?? "run";
    const filled = index % 2 === 1;
    return {
      name: `${program} on a read-only directory ${filled ? "with a session" : "that is empty"}`,
      async run() {
        using ground = aGround();
        const scenarios = writeLoads(ground.path, "1");
        using disk = smallDisk(ground, 64 * 1024);
        if (filled) await seededState(ground.state);
        else writeFileSync(join(ground.state, "note"), "");
        disk.makeReadOnly(true);
        const before = digestOf(ground.state);
        const words = program === "run" ? [join(scenarios, "scripted.yaml")] : ["--scenarios-dir", scenarios];
        const address = program === "serve" ? ["--addr", "127.0.0.1:0"] : [];
        const { status, stdout, stderr } = await abeval([program, ...words, ...address, "--state-dir", ground.state]);
        hold(status === 2 && stdout === "", "exit status 2 and an empty stdout", { status, stdout, stderr });
        hold(isOneLine(stderr) && /read-only|writable/.test(stderr), "one line that says it cannot be written", stderr);
        hold(digestOf(ground.state) === before, "nothing in the directory to change", readdirSync(ground.state));
      },
    };
  });
