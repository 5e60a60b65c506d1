import { expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nativeTarget } from "../../release/targets.ts";
import { ROOT } from "../abeval.ts";
import { temporaryDirectory } from "../temporary.ts";
import { writeRelease } from "./small-release.ts";

interface Setup extends Disposable {
  readonly release: string;
  readonly to: string;
  /** Makes `uname -s` and `uname -m` say this. */
  readonly pretend: (system: string, machine: string) => void;
  readonly install: (...args: readonly string[]) => Promise<{ status: number; stdout: string; stderr: string }>;
}

function setup(): Setup {
  const directory = temporaryDirectory();
  const [release, to, bin] = ["release", "to", "bin"].map((name) => join(directory.path, name)) as [
    string,
    string,
    string,
  ]; // three in, three out
  writeRelease(release, { version: "9.8.7", program: "#!/bin/sh\necho 9.8.7\n" });
  mkdirSync(bin);
  return {
    release,
    to,
    pretend(system, machine) {
      writeFileSync(join(bin, "uname"), `#!/bin/sh\n[ "$1" = -s ] && echo "${system}" || echo "${machine}"\n`);
      chmodSync(join(bin, "uname"), 0o755);
    },
    async install(...args) {
      const child = Bun.spawn(["sh", join(ROOT, "install.sh"), ...args], {
        env: { PATH: `${bin}:${process.env["PATH"]}`, HOME: directory.path },
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
      });
      const read = [new Response(child.stdout).text(), new Response(child.stderr).text(), child.exited] as const;
      const [stdout, stderr, status] = await Promise.all(read);
      return { status, stdout, stderr };
    },
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

test("from a directory: the executable, the UI, the scenarios and the examples are where it says", async () => {
  using installer = setup();
  const { release, to, install } = installer;
  const { status, stdout, stderr } = await install("--from", release, "--to", to);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toStartWith(
    `abeval 9.8.7 is in ${to}/bin/abeval; web UI, scenarios and examples are in ${to}/share/abeval\n`,
  );
  expect(Bun.spawnSync([join(to, "bin/abeval")]).stdout.toString()).toBe("9.8.7\n");
  for (const path of [
    "ui/index.html",
    "scenarios/a.yaml",
    "examples/a.yaml",
    "LICENSE",
    "THIRD_PARTY_NOTICES",
    "sbom.cdx.json",
  ])
    expect(existsSync(join(to, "share/abeval", path))).toBe(true);
});

test("installing again replaces the program and the UI and keeps what the user put beside", async () => {
  using installer = setup();
  const { release, to, install } = installer;
  await install("--from", release, "--to", to);
  writeFileSync(join(to, "share/abeval/scenarios/mine.yaml"), "mine");
  writeFileSync(join(to, "share/abeval/ui/old.js"), "old");
  writeFileSync(join(to, "bin/abeval"), "old");
  expect((await install("--from", release, "--to", to)).status).toBe(0);
  expect(Bun.spawnSync([join(to, "bin/abeval")]).stdout.toString()).toBe("9.8.7\n");
  expect(existsSync(join(to, "share/abeval/scenarios/mine.yaml"))).toBe(true);
  expect(existsSync(join(to, "share/abeval/ui/old.js"))).toBe(false);
});

test("from an address, over HTTP", async () => {
  using installer = setup();
  const { release, to, install } = installer;
  await using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url }) => new Response(Bun.file(join(release, new URL(url).pathname))),
  });
  expect((await install("--from", `${server.url}`, "--to", to)).status).toBe(0);
  expect(existsSync(join(to, "bin/abeval"))).toBe(true);
});

test("an archive that was changed is not installed", async () => {
  using installer = setup();
  const { release, to, install } = installer;
  const name = `abeval-9.8.7-${nativeTarget().name}.tar.gz`;
  writeFileSync(join(release, name), "something else");
  const { status, stderr } = await install("--from", release, "--to", to);
  expect(status).toBe(1);
  expect(stderr).toMatch(
    new RegExp(`^install.sh: ${name}: SHA-256 is [0-9a-f]{64}, SHA256SUMS says .*nothing was installed`),
  );
  expect(existsSync(to)).toBe(false);
});

test("a sum that the user brings is the one that counts", async () => {
  using installer = setup();
  const { release, to, install } = installer;
  const name = `abeval-9.8.7-${nativeTarget().name}.tar.gz`;
  const sum = new Bun.CryptoHasher("sha256").update(readFileSync(join(release, name))).digest("hex");
  const wrong = await install("--from", release, "--to", to, "--sha256", sum.replaceAll(/./g, "0"));
  expect(wrong).toMatchObject({ status: 1, stderr: expect.stringContaining(`--sha256 says ${"0".repeat(64)}`) });
  expect(existsSync(to)).toBe(false);
  for (const right of [sum, sum.toUpperCase()])
    expect(await install("--from", release, "--to", to, "--sha256", right)).toMatchObject({ status: 0, stderr: "" });
});

test.each([
  ["Linux", "riscv64", "riscv64: there is no release for this processor"],
  ["FreeBSD", "amd64", "FreeBSD: there is no release for this system"],
  ["MINGW64_NT-10.0", "x86_64", "Windows: run this inside WSL"],
])("%s on %s is refused in words", async (system, machine, words) => {
  using installer = setup();
  const { release, to, install, pretend } = installer;
  pretend(system, machine);
  const { status, stderr } = await install("--from", release, "--to", to);
  expect(status).toBe(1);
  expect(stderr).toContain(words);
  expect(existsSync(to)).toBe(false);
});

test.each([
  ["Linux", "aarch64"],
  ["Darwin", "arm64"],
  ["Darwin", "x86_64"],
])("%s on %s finds its archive", async (system, machine) => {
  using installer = setup();
  const { release, to, install, pretend } = installer;
  pretend(system, machine);
  expect(await install("--from", release, "--to", to)).toMatchObject({ status: 0, stderr: "" });
});

test("without a place to install from it says how to give one", async () => {
  using installer = setup();
  const { to, install } = installer;
  expect(await install("--to", to)).toEqual({
    status: 1,
    stdout: "",
    stderr: "install.sh: say where the release is: --from <directory-or-url>, or ABEVAL_BASE_URL\n",
  });
});
