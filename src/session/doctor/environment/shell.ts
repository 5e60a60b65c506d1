import { type Check, fail, pass } from "../check.ts";

/** Every command is text for a shell. */
export const shell = (program = "/bin/sh"): Check<unknown> => ({
  id: "shell",
  title: "Shell",
  run: async () =>
    (await answers(program)) ? pass(program) : fail(`${program} does not run`, "install a POSIX shell"),
});

async function answers(program: string): Promise<boolean> {
  try {
    const child = Bun.spawn([program, "-c", "exit 7"], { env: {}, stdio: ["ignore", "ignore", "ignore"] });
    return (await child.exited) === 7;
  } catch {
    // Absent, or not to be executed.
    return false;
  }
}
