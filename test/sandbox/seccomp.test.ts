import { describe, expect, test } from "bun:test";
import { FILTERED_ARCHITECTURES, seccompFilter } from "../../src/arms/sandbox/isolation/seccomp.ts";
import { ARM64_SYSCALLS, X64_SYSCALLS } from "../../src/arms/sandbox/isolation/syscalls.ts";

const AUDIT = { x64: 0xc000003e, arm64: 0xc00000b7 };
const TABLES = { x64: X64_SYSCALLS, arm64: ARM64_SYSCALLS };

describe.each([...FILTERED_ARCHITECTURES])("the system call filter for %s", (architecture) => {
  const table = TABLES[architecture];
  const filter = seccompFilter(architecture);
  const ask = (name: string, args: readonly number[] = []) =>
    run(filter, { architecture: AUDIT[architecture], number: table[name] ?? -1, args });

  test.each([
    ["socket", [1], "allow"],
    ["socket", [2], "allow"],
    ["socket", [40], "EPERM"],
    ["socketpair", [1], "allow"],
    ["socketpair", [38], "EPERM"],
    ["clone", [0x11], "allow"],
    ["clone", [0x10000011], "EPERM"],
    ["clone3", [], "ENOSYS"],
    ["io_uring_setup", [], "ENOSYS"],
    ["openat2", [], "ENOSYS"],
    ["unshare", [], "EPERM"],
    ["keyctl", [], "EPERM"],
    ["ptrace", [], "EPERM"],
    ["mount", [], "EPERM"],
    ["ioctl", [0, 0x5401], "allow"],
    ["ioctl", [0, 0x5412], "EPERM"],
    ["fchmod", [3, 0o755], "allow"],
    ["fchmod", [3, 0o4755], "EPERM"],
    ["fchmodat", [-100, 0, 0o2755], "EPERM"],
    ["fchmodat2", [-100, 0, 0o6755], "EPERM"],
    ["openat", [-100, 0, 0o100, 0o644], "allow"],
    ["openat", [-100, 0, 0o100, 0o4755], "EPERM"],
    // O_TMPFILE: a file without a name, which can be given one.
    ["openat", [-100, 0, 0o20000000, 0o644], "allow"],
    ["openat", [-100, 0, 0o20000000, 0o4755], "EPERM"],
    // Without O_CREAT the mode is whatever lay in the register.
    ["openat", [-100, 0, 0, 0o7777], "allow"],
    ["mknodat", [-100, 0, 0o102755], "EPERM"],
  ] as const)("answers %s(%p) with %s", (name, args, answer) => {
    expect(ask(name, args)).toBe(answer);
  });

  test("kills a program of another architecture", () => {
    expect(run(filter, { architecture: 0x40000003, number: 1, args: [] })).toBe("kill");
  });

  test("allows what it does not know", () => {
    expect(run(filter, { architecture: AUDIT[architecture], number: 9_999, args: [] })).toBe("allow");
  });

  test("has an answer for every call it names, and jumps nowhere outside itself", () => {
    for (const number of Object.values(table)) {
      const answer = run(filter, { architecture: AUDIT[architecture], number, args: [0, 0, 0, 0] });
      expect(["allow", "EPERM", "ENOSYS"]).toContain(answer);
    }
  });
});

test("the x32 variant of a call is killed on x64", () => {
  const number = 0x40000000 + (X64_SYSCALLS["socket"] ?? 0);
  expect(run(seccompFilter("x64"), { architecture: AUDIT.x64, number, args: [1] })).toBe("kill");
});

interface Call {
  readonly architecture: number;
  readonly number: number;
  readonly args: readonly number[];
}

/** What the kernel does with a filter: loads, jumps and one return. */
function run(filter: Uint8Array, call: Call): string {
  const program = new DataView(filter.buffer);
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, call.number, true);
  data.setUint32(4, call.architecture, true);
  for (const [index, value] of call.args.entries()) data.setBigInt64(16 + 8 * index, BigInt(value), true);
  let loaded = 0;
  for (let at = 0; at < filter.length; at += 8) {
    const code = program.getUint16(at, true);
    const value = program.getUint32(at + 4, true);
    if (code === 0x06) return ANSWERS[value] ?? `unknown answer ${value}`;
    if (code === 0x20) loaded = data.getUint32(value, true);
    else at += 8 * program.getUint8(at + (holds(code, loaded, value) ? 2 : 3));
  }
  return "ran off the end";
}

function holds(code: number, loaded: number, value: number): boolean {
  if (code === 0x15) return loaded === value;
  if (code === 0x35) return loaded >= value;
  if (code === 0x45) return (loaded & value) !== 0;
  throw new Error(`unknown instruction ${code}`);
}

const ANSWERS: Readonly<Record<number, string>> = {
  [0x7fff0000]: "allow",
  [0x80000000]: "kill",
  [0x00050001]: "EPERM",
  [0x00050026]: "ENOSYS",
};
