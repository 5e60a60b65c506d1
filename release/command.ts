const ROOT = `${import.meta.dir}/..`;

/**
 * Runs a program in the project's root and returns what it printed.
 * @throws Error with what it said when it fails
 */
export async function run(command: readonly string[]): Promise<string> {
  const child = Bun.spawn([...command], { cwd: ROOT, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (status !== 0) throw new Error(`${command.join(" ")}: exit ${status}\n${stderr}${stdout}`);
  return stdout;
}

/** A script of package.json with the Bun that runs us, so that there is one place for the compiler's flags. */
export const runScript = (name: string, ...args: readonly string[]) => run([process.execPath, "run", name, ...args]);
