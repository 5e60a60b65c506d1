import { join } from "node:path";

export const ROOT = join(import.meta.dir, "..");

export const FROM_SOURCES: readonly string[] = [process.execPath, join(ROOT, "src/main.ts")];

/** Names the executable that `test/with-executable.ts` made of the sources of this moment. */
export const COMPILED = "ABEVAL_COMPILED";

/** The program under test: the executable that ABEVAL_BIN names, else the one made for these tests, else the sources. */
export const PROGRAM: readonly string[] = programUnderTest(process.env);

function programUnderTest({ ABEVAL_BIN, [COMPILED]: compiled }: NodeJS.ProcessEnv): readonly string[] {
  if (ABEVAL_BIN) return [join(ROOT, ABEVAL_BIN)];
  return compiled ? [compiled] : FROM_SOURCES;
}

export const scenarioFile = (name: string) => join(ROOT, "scenarios", `${name}.yaml`);

export interface Invocation {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly program?: readonly string[];
}

export interface Finished {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts the program in a process of its own, with no environment but the given one. */
export function startAbeval(args: readonly string[], { cwd = ROOT, env = {}, program = PROGRAM }: Invocation = {}) {
  return Bun.spawn([...program, ...args], {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: "/dev/null/home", BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0", ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
}

export async function abeval(args: readonly string[], invocation: Invocation = {}): Promise<Finished> {
  const child = startAbeval(args, invocation);
  const [stdout, stderr, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { status, stdout, stderr };
}
