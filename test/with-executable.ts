import { chmodSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { runScript } from "../release/command.ts";
import { COMPILED, ROOT } from "./abeval.ts";
import { temporaryDirectory } from "./temporary.ts";

// `bun test/with-executable.ts <arguments>` is `bun test <arguments>` in several processes, but tests that start the program
// start an executable that is made of the sources now and removed at the end. It starts four times as fast as the sources.

using directory = temporaryDirectory();
// The sandbox's user runs it too.
chmodSync(directory.path, 0o755);
const executable = join(directory.path, "abeval");
await runScript("compile", "--outfile", executable);

// A third of their time they wait, for clocks and programs. They share no state, so a process loads the modules once for all
// of its files.
const processes = `--parallel=${availableParallelism() + 2}`;

const tests = Bun.spawn([process.execPath, "test", processes, "--no-isolate", ...process.argv.slice(2)], {
  cwd: ROOT,
  env: { ...process.env, [COMPILED]: executable },
  stdio: ["inherit", "inherit", "inherit"],
});
// A terminal sends Ctrl-C to both; this process stays to clean up.
process.on("SIGINT", () => undefined);
process.on("SIGTERM", () => tests.kill("SIGTERM"));
process.exitCode = await tests.exited;
// What package.json says of a suite is compared with this. It hardly depends on what else the machine does.
const microseconds = Number(tests.resourceUsage()?.cpuTime.total ?? 0);
console.log(`These tests took ${Math.round(microseconds / 1e6)} s of processor time.`);
