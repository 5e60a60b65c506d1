import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json";
import { mainPackage, type NpmPackage, platformPackage } from "../../release/npm-package.ts";
import { tar } from "../../release/tar.ts";
import { nativeTarget, TARGETS, type Target } from "../../release/targets.ts";
import { NPM } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { temporaryDirectory } from "../temporary.ts";

/**
 * What stands in the place of an executable: it says its target and arguments, or waits for a signal, or ends by one. What it
 * waits with holds no output open: a signal to it is lost when it comes before that has begun.
 */
const PROGRAM = `case $1 in
  wait) trap 'kill $!; echo "told $2"; exit 7' "$2"; sleep 60 >/dev/null 2>&1 & echo ready; wait ;;
  die) kill -KILL $$ ;;
  *) cat; echo "$@" >&2; exit 3 ;;
esac
`;

/** Ends after an interrupt. */
const INTERRUPTED = `#!/bin/sh
trap 'exit 7' INT
echo ready
while :; do read -r line; done
`;
const PLATFORMS = TARGETS.map(({ name }) => `abeval-${name}`);
const NATIVE = nativeTarget().name;
const SHIM = "node_modules/.bin/abeval";
const directory = temporaryDirectory();
const packages = join(directory.path, "packages");
/** Where every platform's package is installed. */
const shim = join(directory.path, "all", SHIM);
const testPackages = testNeeding(NPM);

afterAll(() => directory[Symbol.dispose]());
beforeAll(async () => {
  mkdirSync(packages);
  writePackage(await mainPackage([]));
  for (const target of TARGETS) writePackage(platformPackage(target, [programFor(target)]));
  if (NPM.met) installed("all", "--force", ...["abeval", ...PLATFORMS].map(fileOf));
});

const programFor = ({ name }: Target) => ({
  path: "abeval",
  bytes: Buffer.from(`#!/bin/sh\necho ${name}\n${PROGRAM}`),
  executable: true,
});

const writePackage = ({ file, entries }: NpmPackage) =>
  writeFileSync(join(packages, file), Bun.gzipSync(tar(entries, 0)));

const fileOf = (name: string) => join(packages, `${name}-${manifest.version}.tgz`);

/** Installs packages without a registry. Returns the path of the shim. */
function installed(name: string, ...args: readonly string[]): string {
  const to = join(directory.path, name);
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to);
  writeFileSync(join(to, "package.json"), "{}");
  const command = [
    "npm",
    "install",
    "--offline",
    "--no-update-notifier",
    "--cache",
    join(directory.path, "cache"),
    ...args,
  ];
  const { exitCode, stderr } = Bun.spawnSync(command, { cwd: to });
  if (exitCode !== 0) throw new Error(stderr.toString());
  return join(to, SHIM);
}

/** A copy of the installation that has every platform's package, for a test that changes it. */
function copied(name: string): { shim: string; platforms: string; program: string } {
  const to = join(directory.path, name);
  cpSync(join(directory.path, "all"), to, { recursive: true, verbatimSymlinks: true });
  const platforms = join(to, "node_modules/@abeval");
  return { shim: join(to, SHIM), platforms, program: join(platforms, NATIVE, "abeval") };
}

/** Makes Node say that it runs elsewhere. */
function pretending({ os, arch, musl }: Pick<Target, "os" | "arch" | "musl">): NodeJS.ProcessEnv {
  const file = join(directory.path, `${os}-${arch}-${musl}.cjs`);
  const header = musl ? {} : { glibcVersionRuntime: "2.36" };
  writeFileSync(
    file,
    `Object.defineProperty(process, "platform", { value: "${os}" });
Object.defineProperty(process, "arch", { value: "${arch}" });
process.report.getReport = () => ({ header: ${JSON.stringify(header)} });
`,
  );
  return { PATH: process.env["PATH"], NODE_OPTIONS: `--require=${file}` };
}

function ran(args: readonly string[], { program = shim, env = process.env, stdin = "" } = {}) {
  const { exitCode, signalCode, stdout, stderr } = Bun.spawnSync([program, ...args], {
    env,
    stdin: Buffer.from(stdin),
  });
  return { status: exitCode, signal: signalCode ?? null, stdout: stdout.toString(), stderr: stderr.toString() };
}

testPackages("the shim passes arguments, input, output and the exit status on", () => {
  const finished = ran(["run", "a b", "--x=$HOME"], { stdin: "typed\n" });
  expect(finished).toEqual({ status: 3, signal: null, stdout: `${NATIVE}\ntyped\n`, stderr: "run a b --x=$HOME\n" });
});

testPackages("an executable that a signal ended: the shim ends by the same", () => {
  expect(ran(["die"])).toMatchObject({ signal: "SIGKILL" });
});

testPackages("signals to the shim reach the executable, which decides how it ends", async () => {
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    const name = signal.slice(3);
    const child = Bun.spawn([shim, "wait", name], { stdin: "ignore", stdout: "pipe", stderr: "inherit" });
    let stdout = "";
    for await (const chunk of child.stdout) {
      stdout += Buffer.from(chunk).toString();
      if (stdout.endsWith("ready\n")) child.kill(signal);
    }
    expect([await child.exited, stdout.split("\n").at(-2)]).toEqual([7, `told ${name}`]);
  }
});

testPackages("Ctrl+C in a terminal reaches the executable from there, and not once more from the shim", async () => {
  const { shim: own, program } = copied("terminal");
  writeFileSync(program, INTERRUPTED);
  const telling = join(directory.path, "telling.cjs");
  writeFileSync(
    telling,
    'require("node:child_process").ChildProcess.prototype.kill = () => console.log("sent again");',
  );
  let shown = "";
  const child = Bun.spawn([own], {
    env: { ...process.env, NODE_OPTIONS: `--require=${telling}` },
    terminal: {
      data(terminal, bytes) {
        shown += Buffer.from(bytes).toString();
        if (shown === "ready\r\n") terminal.write("\x03");
      },
    },
  });
  expect(await child.exited).toBe(7);
  expect(shown).not.toContain("sent again");
});

testPackages("npm installs the package of its platform and its C library and no other", () => {
  const files = PLATFORMS.map(fileOf);
  const chosen = [
    ["linux", "x64", "glibc"],
    ["linux", "x64", "musl"],
    ["darwin", "arm64", ""],
  ].map(([os, cpu, libc]) => {
    const own = installed(
      `npm-${os}-${libc}`,
      `--os=${os}`,
      `--cpu=${cpu}`,
      `--libc=${libc}`,
      "--save-optional",
      ...files,
    );
    return readdirSync(join(own, "../../@abeval"));
  });
  expect(chosen).toEqual([["linux-x64"], ["linux-x64-musl"], ["darwin-arm64"]]);
});

testPackages("where several are installed, the shim starts that of its platform and its C library", () => {
  const started = TARGETS.map((target) => ran([], { env: pretending(target) }).stdout);
  expect(started).toEqual(TARGETS.map(({ name }) => `${name}\n`));
});

testPackages("an executable that is missing, or that there is not for this machine, is told in words", () => {
  const { shim: program, platforms } = copied("none");
  rmSync(platforms, { recursive: true });
  const said = (os: NodeJS.Platform, arch: NodeJS.Architecture, musl = false) =>
    ran(["run"], { program, env: pretending({ os, arch, musl }) });
  const refused = (words: string) => ({ status: 2, signal: null, stdout: "", stderr: expect.stringContaining(words) });
  const missing = "abeval: @abeval/linux-x64, an optional dependency of abeval, is not installed. Install abeval again";
  expect(said("linux", "x64")).toEqual(refused(missing));
  expect(said("linux", "arm64", true)).toEqual(refused("abeval: there is no @abeval/linux-arm64-musl; there are "));
  expect(said("freebsd", "x64")).toEqual(
    refused("abeval: there is no @abeval/freebsd-x64; there are @abeval/linux-x64,"),
  );
  expect(said("win32", "x64")).toEqual(refused("abeval: Windows: run this inside WSL"));
});

testPackages("an executable that does not start is told in words", () => {
  const { shim: own, program } = copied("broken");
  writeFileSync(program, "#!/nowhere/sh\n");
  const stderr = expect.stringMatching(/^abeval: \S+ does not start: spawn .* ENOENT\n$/);
  expect(ran([], { program: own })).toMatchObject({ status: 2, stderr });
});

test("the main package names one of the same version for every platform", async () => {
  const { entries } = await mainPackage([]);
  const json = entries.find(({ path }) => path === "package/package.json");
  const { version, optionalDependencies } = JSON.parse(Buffer.from(json?.bytes ?? []).toString());
  expect(version).toBe(manifest.version);
  const own = TARGETS.map(({ name }) => [`@abeval/${name}`, manifest.version]);
  expect(optionalDependencies).toEqual(Object.fromEntries(own));
});
