import { expect, test } from "bun:test";
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSandbox } from "../../src/arms/sandbox/open-sandbox.ts";
import { host, SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { never, shell } from "../workspace/harness.ts";

const NUMBERS = {
  add_key: [248, 217],
  bpf: [321, 280],
  io_uring_setup: [425, 425],
  userfaultfd: [323, 282],
  perf_event_open: [298, 241],
  process_vm_readv: [310, 270],
  pidfd_getfd: [438, 438],
} as const;

/** Proves itself open unless the kernel answers EPERM (1) or ENOSYS (38): a filter stood in the way. */
function syscall(name: keyof typeof NUMBERS, args: string): string {
  const number = NUMBERS[name][process.arch === "arm64" ? 1 : 0];
  const call = `ctypes.CDLL(None, use_errno=True).syscall(${number}, ${args})`;
  return `python3 -c "import ctypes; r = ${call}; print('OPEN' if r >= 0 or ctypes.get_errno() not in (1, 38) else '')"`;
}

/**
 * Ways out of the sandbox, each tried for real. A command prints OPEN when it got out, or the canary when it read one;
 * one that cannot be tried here (no python3, no perl) proves nothing and is listed as such.
 */
const CANARY = `canary-${crypto.randomUUID()}`;

/** `$HOST` is a directory of the host that holds canaries, `$PORT` a server of the host, `$PID` a process of the host. */
const ATTEMPTS: readonly (readonly [name: string, command: string])[] = [
  // Files.
  ["read a file of the host by its path", "cat $HOST/secret"],
  ["read root's home", "ls /root/. && echo OPEN"],
  ["read the password hashes", "cat /etc/shadow && echo OPEN"],
  ["see the homes of people", "ls -d /home/*/ | grep -v '^/home/agent/$' && echo OPEN"],
  ["see the host's temporary files", "ls -d $HOST && echo OPEN"],
  ["see the other workspaces", "ls -d /workspace/../*abeval* /tmp/abeval* && echo OPEN"],
  ["read through a link that leads out", "ln -s $HOST/secret l && cat l"],
  ["read through /proc/1/root", "cat /proc/1/root$HOST/secret"],
  ["read through /proc/1/cwd", "cat /proc/1/cwd/$HOST/secret; ls /proc/1/cwd/home/*/.ssh && echo OPEN"],
  ["hard link a file of the host", "ln $HOST/secret h && cat h"],
  ["climb out of the workspace", "cat ../../../..$HOST/secret"],
  ["chroot out", "python3 -c \"import os; os.chroot('..'); print('OPEN')\""],
  ["write below /usr", "touch /usr/abeval-escape && echo OPEN"],
  ["write below /etc", "touch /etc/abeval-escape && echo OPEN"],
  ["write at the top", "touch /abeval-escape && echo OPEN"],
  ["write below /dev", "echo x > /dev/abeval-escape && echo OPEN"],
  ["write below /var/tmp", "touch /var/tmp/abeval-escape && echo OPEN"],
  ["write into the host's directory", "echo OPEN > $HOST/written && echo OPEN"],
  ["leave a set-uid file", "cp /bin/sh s && chmod 4755 s && [ -u s ] && echo OPEN"],
  ["leave a set-gid file", "cp /bin/sh s && chmod g+s s && [ -g s ] && echo OPEN"],
  [
    "create a file set-uid at once",
    "python3 -c \"import os; os.open('s', os.O_CREAT | os.O_WRONLY, 0o4755); print('OPEN')\"",
  ],
  [
    "create a file without a name set-uid, and name it",
    "python3 -c \"import os; f = os.open('.', os.O_TMPFILE | os.O_WRONLY, 0o4755); os.link(f'/proc/self/fd/{f}', 's', follow_symlinks=True)\" && [ -u s ] && echo OPEN",
  ],
  ["make a device", "mknod d b 8 0 && echo OPEN"],
  ["read a disk", "head -c 1 /dev/vda || head -c 1 /dev/sda && echo OPEN"],
  ["read memory devices", "head -c 1 /dev/mem && echo OPEN"],
  ["read the kernel's log", "head -c 1 /dev/kmsg && echo OPEN"],
  ["open kvm", "exec 3<>/dev/kvm && echo OPEN"],
  ["open fuse", "exec 3<>/dev/fuse && echo OPEN"],
  ["read /proc/kcore", "head -c 1 /proc/kcore | grep -q . && echo OPEN"],
  ["see /sys", "ls /sys/kernel && echo OPEN"],
  // The kernel's settings.
  ["replace the core dump handler", "echo '|/tmp/x' > /proc/sys/kernel/core_pattern && echo OPEN"],
  ["write a kernel setting", "echo 1 > /proc/sys/vm/drop_caches && echo OPEN"],
  ["trigger sysrq", "echo h > /proc/sysrq-trigger && echo OPEN"],
  ["set the host name", "hostname abeval-escape && echo OPEN"],
  ["set the clock", "date -s 2001-01-01 && echo OPEN"],
  ["read the log by syscall", "dmesg | grep -q . && echo OPEN"],
  // The environment.
  ["read a key from the environment", "env"],
  ["read a key from pid 1", "tr '\\0' '\\n' < /proc/1/environ"],
  ["read a key from any process", "cat /proc/[0-9]*/environ | tr '\\0' '\\n'"],
  ["read the arguments of pid 1", "tr '\\0' ' ' < /proc/1/cmdline | grep -e '--ro[-]bind' && echo OPEN"],
  [
    "use an inherited descriptor",
    "for fd in /proc/self/fd/*; do case $(readlink $fd) in *secret*) echo OPEN;; esac; done",
  ],
  // Other processes.
  ["see processes of the host", "[ $(ls -d /proc/[0-9]* | wc -l) -gt 12 ] && echo OPEN"],
  ["signal a process of the host", "kill -0 $PID && grep -q bun /proc/$PID/comm && echo OPEN"],
  [
    "trace a process",
    "python3 -c \"import ctypes; print('OPEN' if ctypes.CDLL(None).ptrace(16, 1, 0, 0) == 0 else '')\"",
  ],
  ["become root", "python3 -c \"import os; os.setuid(0); print('OPEN')\""],
  ["raise its own priority", "nice -n -5 sh -c '[ $(nice) -lt 0 ] && echo OPEN'"],
  ["use a set-uid program", "su -c 'echo OPEN' </dev/null"],
  // The network.
  [
    "reach a server of the host",
    'bun -e \'await fetch("http://127.0.0.1:" + process.argv[1]); console.log("OPEN")\' $PORT',
  ],
  ["reach it by 0.0.0.0", 'bun -e \'await fetch("http://0.0.0.0:" + process.argv[1]); console.log("OPEN")\' $PORT'],
  [
    "send a packet off the host",
    "python3 -c \"import socket; socket.socket(2, 2).sendto(b'x', ('192.0.2.1', 9)); print('OPEN')\"",
  ],
  ["resolve a name", "python3 -c \"import socket; print('OPEN', socket.gethostbyname('example.com'))\""],
  [
    "reach a unix socket of the host by path",
    "python3 -c \"import socket, sys; socket.socket(1).connect(sys.argv[1]); print('OPEN')\" $HOST/socket",
  ],
  ["reach the docker socket", "ls /var/run/docker.sock /run/docker.sock /run/dbus && echo OPEN"],
  ["open a vsock", "python3 -c \"import socket; socket.socket(40, 1); print('OPEN')\""],
  ["open a packet socket", "python3 -c \"import socket; socket.socket(17, 3); print('OPEN')\""],
  ["open a crypto socket", "python3 -c \"import socket; socket.socket(38, 5); print('OPEN')\""],
  [
    "see another network interface",
    "python3 -c \"import socket; print('OPEN' if len(socket.if_nameindex()) > 1 else '')\"",
  ],
  // The kernel's doors.
  ["make a user namespace", "unshare -U true && echo OPEN"],
  ["enter a namespace", "nsenter -t 1 -m true && echo OPEN"],
  ["nest a sandbox", "bwrap --ro-bind / / true && echo OPEN"],
  ["mount something", "mount -t tmpfs x /tmp && echo OPEN"],
  ["make /usr writable", "mount -o remount,rw /usr && echo OPEN"],
  ["use keyrings", syscall("add_key", "b'user', b'x', b'y', 1, -3")],
  ["use bpf", syscall("bpf", "0, b'0' * 128, 128")],
  ["use io_uring", syscall("io_uring_setup", "1, b'\\\\0' * 256")],
  ["use userfaultfd", syscall("userfaultfd", "1")],
  ["use perf events", syscall("perf_event_open", "b'\\\\0' * 128, 0, -1, -1, 0")],
  ["read a process's memory", syscall("process_vm_readv", "1, b'\\\\0' * 16, 0, b'\\\\0' * 16, 0, 0")],
  ["fetch a descriptor of another process", syscall("pidfd_getfd", "0, 0, 0")],
];

testNeeding(SANDBOX)("nothing gets out of the sandbox", async () => {
  await using outside = await openOutside();
  const sandbox = openSandbox("bubblewrap", host);
  const results = await Promise.all(
    ATTEMPTS.map(async ([name, command], index) => {
      const directory = join(outside.workspaces, String(index));
      mkdirSync(directory);
      if (sandbox.owner) chownSync(directory, sandbox.owner.uid, sandbox.owner.gid);
      const { output, ended } = await sandbox.run({ ...shell(outside.preamble + command), directory }, never);
      return {
        name,
        ended,
        open: /\bOPEN\b/.test(output) || output.includes(CANARY),
        untried: /not found/.test(output),
      };
    }),
  );
  const open = results.filter((result) => result.open || result.ended !== "exit").map((result) => result.name);
  const untried = results.filter((result) => result.untried).map((result) => result.name);
  const note = untried.length > 0 ? ` (no such program inside: ${untried.join(", ")})` : "";
  console.log(`escape attempts: blocked ${results.length - open.length} of ${results.length}${note}`);
  expect(open).toEqual([]);
  expect(existsSync(join(outside.path, "written"))).toBe(false);
  expect(readFileSync(join(outside.path, "secret"), "utf8")).toBe(CANARY);
});

test("the same attempts get out where there is no sandbox, so that the test above can fail", async () => {
  await using outside = await openOutside();
  const sandbox = openSandbox("none", host);
  const open: string[] = [];
  for (const name of [
    "read a file of the host by its path",
    "see the host's temporary files",
    "reach a server of the host",
  ]) {
    const command = ATTEMPTS.find(([it]) => it === name)?.[1] ?? "";
    const { output } = await sandbox.run(
      { ...shell(outside.preamble + command), directory: outside.workspaces },
      never,
    );
    if (/\bOPEN\b/.test(output) || output.includes(CANARY)) open.push(name);
  }
  expect(open).toHaveLength(3);
});

test("no key of the parent's environment reaches a command that has no sandbox", async () => {
  await using outside = await openOutside();
  const { output } = await openSandbox("none", host).run({ ...shell("env"), directory: outside.workspaces }, never);
  expect(output).toContain("HOME=");
  expect(output).not.toContain(CANARY);
});

/** A piece of the host: canaries in a file and in the environment, a server, a socket, and a directory for workspaces. */
async function openOutside() {
  const path = mkdtempSync(join(tmpdir(), "abeval-outside-"));
  const workspaces = mkdtempSync(join(tmpdir(), "abeval-inside-"));
  Bun.spawnSync(["chmod", "755", path, workspaces]);
  writeFileSync(join(path, "secret"), CANARY, { mode: 0o644 });
  process.env["ABEVAL_TEST_API_KEY"] = CANARY;
  const server = Bun.serve({ port: 0, fetch: () => new Response("OPEN") });
  const socket = createServer().listen(join(path, "socket"));
  await new Promise((resolve) => socket.once("listening", resolve));
  return {
    path,
    workspaces,
    preamble: `HOST='${path}'; PORT=${server.port}; PID=${process.pid};\n`,
    async [Symbol.asyncDispose]() {
      delete process.env["ABEVAL_TEST_API_KEY"];
      await server.stop(true);
      socket.close();
      rmSync(path, { recursive: true, force: true });
      rmSync(workspaces, { recursive: true, force: true });
    },
  };
}
