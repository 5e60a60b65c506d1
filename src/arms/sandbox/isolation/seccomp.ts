import { ARM64_SYSCALLS, type SyscallTable, X64_SYSCALLS } from "./syscalls.ts";

/** Processors that the filter is written for; elsewhere there is no sandbox. */
export const FILTERED_ARCHITECTURES = ["x64", "arm64"] as const;
type FilteredArchitecture = (typeof FILTERED_ARCHITECTURES)[number];

/** Whether the kernel counts memory that belongs to no process. Where it does not, such memory is refused. */
type MemoryAccount = "counted" | "uncounted";

/**
 * The kernel's filter for system calls in the sandbox, as `bwrap --seccomp` reads it (an array of `struct sock_filter`).
 * What namespaces do not fence off is refused here: keyrings, vsock, io_uring, nested namespaces, set-uid bits.
 */
export function seccompFilter(architecture: FilteredArchitecture, memory: MemoryAccount = "counted"): Uint8Array {
  const { audit, table } = ARCHITECTURES[architecture];
  const program = [
    ...load(ARCHITECTURE_OFFSET),
    ...unlessEqual(audit, [answer(KILL)]),
    ...load(NUMBER_OFFSET),
    ...(architecture === "x64" ? ifAtLeast(X32_BIT, [answer(KILL)]) : []),
    ...REFUSED.flatMap((name) => on(table, name, [answer(EPERM)])),
    ...HIDDEN.flatMap((name) => on(table, name, [answer(ENOSYS)])),
    ...(memory === "uncounted" ? refuseUncounted(table) : []),
    ...["socket", "socketpair"].flatMap((name) => inspect(table, name, refuseOtherSockets())),
    ...inspect(table, "clone", refuseBits(0, CLONE_NEWUSER)),
    ...inspect(table, "ioctl", refuseRequests(TERMINAL_INJECTION)),
    ...Object.entries(MODE_ARGUMENT).flatMap(([name, index]) => inspect(table, name, refuseBits(index, SET_ID_BITS))),
    ...inspect(table, "open", refuseCreation(1, 2)),
    ...inspect(table, "openat", refuseCreation(2, 3)),
    answer(ALLOW),
  ];
  return encode(program);
}

const ARCHITECTURES: Record<FilteredArchitecture, { readonly audit: number; readonly table: SyscallTable }> = {
  x64: { audit: 0xc000003e, table: X64_SYSCALLS },
  arm64: { audit: 0xc00000b7, table: ARM64_SYSCALLS },
};

/** Calls of the x32 ABI carry this bit and would slip past the numbers below. */
const X32_BIT = 0x40000000;

// `struct seccomp_data`: the number, the architecture, the instruction pointer, six 64-bit arguments.
const NUMBER_OFFSET = 0;
const ARCHITECTURE_OFFSET = 4;
const ARGUMENTS_OFFSET = 16;

const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const EPERM = 0x00050000 | 1;
const ENOSYS = 0x00050000 | 38;

const CLONE_NEWUSER = 0x10000000;
const SET_ID_BITS = 0o6000;
const O_CREAT = 0o100;
/** Makes a file without a name, which /proc/self/fd can give one. */
const O_TMPFILE = 0o20000000;
/** TIOCSTI, TIOCLINUX: typing into somebody's terminal. */
const TERMINAL_INJECTION = [0x5412, 0x541c];
/** unix, inet, inet6, netlink. Not vsock, which no network namespace fences off. */
const SOCKET_FAMILIES = [1, 2, 10, 16];

/** Programs fall back when these do not exist: their arguments lie in memory, where a filter cannot look. */
const HIDDEN = ["io_uring_setup", "io_uring_enter", "io_uring_register", "clone3", "openat2"];

const REFUSED = [
  ...["keyctl", "add_key", "request_key"],
  ...["bpf", "perf_event_open", "userfaultfd", "memfd_secret", "fanotify_init", "kcmp", "syslog", "vhangup"],
  ...["ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd"],
  ...["setns", "unshare", "mount", "umount2", "pivot_root", "open_by_handle_at"],
  ...["open_tree", "move_mount", "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr"],
  ...["kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "reboot"],
  ...["settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "sethostname", "setdomainname"],
  ...["swapon", "swapoff", "acct", "quotactl", "quotactl_fd", "iopl", "ioperm"],
];

/** Which argument is the mode. */
const MODE_ARGUMENT = { chmod: 1, fchmod: 1, fchmodat: 2, fchmodat2: 2, creat: 1, mknod: 1, mknodat: 2 };

interface Instruction {
  readonly code: number;
  /** Instructions skipped when the test holds, and when it does not. */
  readonly hit: number;
  readonly miss: number;
  readonly value: number;
}
type Code = readonly Instruction[];

const LOAD_WORD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const JUMP_BITS = 0x45;
const RETURN = 0x06;

const answer = (value: number): Instruction => ({ code: RETURN, hit: 0, miss: 0, value });
const load = (offset: number): Code => [{ code: LOAD_WORD, hit: 0, miss: 0, value: offset }];
/** The low half: every argument looked at here is a 32-bit value, and both architectures are little-endian. */
const loadArgument = (index: number): Code => load(ARGUMENTS_OFFSET + 8 * index);

const test = (code: number, value: number, then: Code): Code => [{ code, hit: 0, miss: then.length, value }, ...then];
const ifEqual = (value: number, then: Code) => test(JUMP_EQUAL, value, then);
const ifAtLeast = (value: number, then: Code) => test(JUMP_AT_LEAST, value, then);
const ifBits = (value: number, then: Code) => test(JUMP_BITS, value, then);
const unlessEqual = (value: number, then: Code): Code => [
  { code: JUMP_EQUAL, hit: then.length, miss: 0, value },
  ...then,
];

/** `body` for one system call. It must end in an answer, because it may overwrite the number by which it was chosen. */
function on(table: SyscallTable, name: string, body: Code): Code {
  const number = table[name];
  return number === undefined ? [] : ifEqual(number, body);
}

/** Allows one system call unless `body` answers otherwise. */
const inspect = (table: SyscallTable, name: string, body: Code): Code => on(table, name, [...body, answer(ALLOW)]);

const refuseOtherSockets = (): Code => [
  ...loadArgument(0),
  ...SOCKET_FAMILIES.flatMap((family) => ifEqual(family, [answer(ALLOW)])),
  answer(EPERM),
];

/** Bytes of a System V segment that databases use as a lock; 4,096 of these are the kernel's limit. */
const MAX_SEGMENT_BYTES = 64 * 1024;

/** Programs know kernels without memory files. Big System V segments are refused by both halves of their size. */
const refuseUncounted = (table: SyscallTable): Code => [
  ...on(table, "memfd_create", [answer(ENOSYS)]),
  ...inspect(table, "shmget", [
    ...load(ARGUMENTS_OFFSET + 8 + 4),
    ...unlessEqual(0, [answer(EPERM)]),
    ...loadArgument(1),
    ...ifAtLeast(MAX_SEGMENT_BYTES + 1, [answer(EPERM)]),
  ]),
];

const refuseRequests = (requests: readonly number[]): Code => [
  ...loadArgument(1),
  ...requests.flatMap((request) => ifEqual(request, [answer(EPERM)])),
];

const refuseBits = (argument: number, bits: number): Code => [
  ...loadArgument(argument),
  ...ifBits(bits, [answer(EPERM)]),
];

/** The mode means something only when a file may be created. */
const refuseCreation = (flags: number, mode: number): Code => [
  ...loadArgument(flags),
  ...ifBits(O_CREAT | O_TMPFILE, refuseBits(mode, SET_ID_BITS)),
];

function encode(program: Code): Uint8Array {
  const view = new DataView(new ArrayBuffer(program.length * 8));
  for (const [index, { code, hit, miss, value }] of program.entries()) {
    view.setUint16(index * 8, code, true);
    view.setUint8(index * 8 + 2, hit);
    view.setUint8(index * 8 + 3, miss);
    view.setUint32(index * 8 + 4, value, true);
  }
  return new Uint8Array(view.buffer);
}
