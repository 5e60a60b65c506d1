import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSandbox } from "../../src/arms/sandbox/open-sandbox.ts";
import { sweepTempDirs } from "../../src/arms/sandbox/temp-dir.ts";
import { openPristine } from "../../src/arms/workspace/pristine.ts";
import { ROOT } from "../abeval.ts";
import { host, SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { Directory, describeEachKind, never, openFixture, shell } from "./harness.ts";

const step = (run: string, timeout_s = 60) => ({ run, timeout_s });

const failure = (promise: Promise<unknown>) => promise.then(String, (error) => `${error.code}: ${error.message}`);

const MiB = 1024 * 1024;

/** What this process has in the directory for temporary files, besides `before`. */
const ours = (before: readonly string[] = []) =>
  readdirSync(tmpdir()).filter((name) => name.startsWith(`abeval-run-${process.pid}-`) && !before.includes(name));

/** A step that leaves random bytes, which no file system can make smaller. */
const fill = (mebibytes: number, path: string) => step(`head -c ${mebibytes}M /dev/urandom > ${path}`);

describeEachKind("the home of a setup", (kind) => {
  const small = (mebibytes: number) =>
    openPristine({
      source: { dir: null, files: {} },
      sandbox: openSandbox(kind, host),
      keep: false,
      setup_bytes: mebibytes * MiB,
    });

  test("is one for all its steps, and holds more than memory would", async () => {
    await using pristine = openFixture({}, { kind });
    const steps = [
      step("fallocate -l 300M ~/packages || head -c 300M /dev/zero > ~/packages"),
      step('fallocate -l 300M "$TMPDIR"/download || head -c 300M /dev/zero > "$TMPDIR"/download'),
      step('wc -c < ~/packages > sizes; wc -c < "$TMPDIR"/download >> sizes'),
    ];
    await pristine.setup(steps, never);
    expect(await pristine.text("sizes")).toBe(`${300 * MiB}\n${300 * MiB}\n`);
  });

  test("is gone before an arm begins, and no other setup sees it", async () => {
    const before = ours();
    await using pristine = openFixture({}, { kind });
    await pristine.setup([step('echo secret > ~/.token; echo secret > "$TMPDIR"/token; chmod 000 ~')], never);
    // The fixture's own.
    expect(ours(before)).toHaveLength(1);
    await using workspace = pristine.open();
    const look = 'ls -A ~ "$TMPDIR"; cat ~/.token "$TMPDIR"/token';
    expect((await workspace.exec(shell(look), never)).output).not.toContain("secret");
    await using other = openFixture({}, { kind });
    await other.setup([step(`{ ${look}; } > seen 2>&1 || true`)], never);
    expect(await other.text("seen")).not.toContain("secret");
  });

  test("ends a step that fills it, with the limit and what is full; what earlier steps left counts", async () => {
    await using pristine = small(20);
    const said = await failure(pristine.setup([fill(12, "~/a"), fill(12, '"$TMPDIR"/b')], never));
    expect(said).toBe(
      'setup_failed: task.setup[1] `head -c 12M /dev/urandom > "$TMPDIR"/b` failed (it was stopped at a limit of the disk: HOME and /tmp may hold 20 MiB)',
    );
    await using roomy = small(40);
    await roomy.setup([fill(12, "~/a"), fill(12, '"$TMPDIR"/b')], never);
  });

  test("comes with the certificates of the machine, for registries behind a proxy, and arms do without", async () => {
    const file = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"].find(existsSync) ?? "";
    const look = 'printf "%s %s %s" "$NODE_EXTRA_CA_CERTS" "$SSL_CERT_FILE" "$REQUESTS_CA_BUNDLE"';
    await using pristine = openFixture({}, { kind });
    await pristine.setup([step(`{ ${look}; test -z "$SSL_CERT_FILE" || head -c 1 "$SSL_CERT_FILE"; } > seen`)], never);
    expect(await pristine.text("seen")).toStartWith(`${file} ${file} ${file}`);
    expect((await pristine.text("seen"))?.length).toBe(3 * file.length + 2 + (file === "" ? 0 : 1));
    await using workspace = pristine.open();
    expect((await workspace.exec(shell(look), never)).output).toBe("  ");
  });

  test("is gone, too, when a step fails and when the session is cancelled", async () => {
    const before = ours();
    const cancelled = new AbortController();
    for (const [run, signal] of [
      ["touch ~/a; false", never],
      ["touch ~/a; sleep 60", cancelled.signal],
    ] as const) {
      await using pristine = openFixture({}, { kind });
      const setup = failure(pristine.setup([step(run)], signal));
      setImmediate(() => cancelled.abort(new Error("cancelled")));
      expect(await setup).not.toBe("");
    }
    expect(ours(before)).toEqual([]);
  });

  test("a step that takes too long is told with its limit, and with what it printed", async () => {
    await using pristine = openFixture({}, { kind });
    expect(await failure(pristine.setup([step("echo fetching; exec sleep 60", 0.5)], never))).toBe(
      "setup_failed: task.setup[0] `echo fetching; exec sleep 60` failed (it was stopped after 0.5 s; a larger `timeout_s` of the step gives it more): fetching",
    );
    expect(await failure(pristine.setup([step("exec sleep 60", 0.1)], never))).toEndWith("of the step gives it more)");
  });
});

testNeeding(SANDBOX)("a setup's home shows nothing of the machine, and a link in it leads nowhere", async () => {
  await using pristine = openFixture({}, { kind: "bubblewrap" });
  const steps = [
    step("ls -A ~ /tmp > seen; rm -rf ~/* /tmp/*; ln -s / ~/way; ln -s / /tmp/way; ! rmdir ~ /tmp 2>/dev/null"),
    step("ls ~/way /tmp/way >> seen; pwd >> seen"),
  ];
  await pristine.setup(steps, never);
  const seen = await pristine.text("seen");
  expect(seen).toStartWith("/home/agent:\n\n/tmp:\n");
  expect(seen).not.toContain("root\n");
});

test("what a killed process left of a setup is swept away", async () => {
  using root = new Directory();
  const script = `
    const { makeScratch } = await import(${JSON.stringify(join(ROOT, "src/arms/sandbox/home.ts"))});
    await Bun.write(makeScratch(null).home + "/packages", "x");
    process.kill(process.pid, "SIGKILL");
  `;
  Bun.spawnSync([process.execPath, "-e", script], { env: { ...process.env, TMPDIR: root.path } });
  expect(readdirSync(root.path)).toHaveLength(1);
  expect(await sweepTempDirs(new Date(Date.now() + 2 * 86_400_000), [root.path])).toBe(1);
  expect(readdirSync(root.path)).toEqual([]);
});

test("an image around the workspace is opened before an arm begins, also without a step", async () => {
  using image = new Directory({ "work/a.txt": "a\n" });
  const { signal } = new AbortController();
  const asked: AbortSignal[] = [];
  const open = async (given: AbortSignal) => {
    asked.push(given);
    const root = { directory: image.path, user: { uid: 0, gid: 0 }, environment: {} };
    return { root, work: join(image.path, "work") };
  };
  await using pristine = openPristine({
    source: { dir: null, files: {} },
    places: { image: open },
    sandbox: openSandbox("none", host),
    ...{ keep: false, signal },
  });
  await pristine.setup([], never);
  expect(asked).toEqual([signal]);
  expect((await pristine.list()).map(({ path }) => path)).toEqual(["a.txt"]);
  expect(asked).toHaveLength(1);
});
