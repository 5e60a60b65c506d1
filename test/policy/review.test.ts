import { expect, test } from "bun:test";
import {
  type CallRecord,
  didNothing,
  disqualifying,
  requiredResults,
  unreadCommands,
  violations,
} from "../../src/arms/policy/review.ts";
import type { ChangedFile } from "../../src/domain/evidence.ts";
import { policies } from "./policies.ts";

const changed = (path: string): ChangedFile => ({
  path,
  status: "modified",
  added: 1,
  removed: 1,
  binary: false,
  before: "a\n",
  after: "b\n",
});
const command = (subject: string, refused_by: string | null = null): CallRecord => ({
  tool: "run_command",
  effect: "command",
  subject,
  refused_by,
});
const nothing = { changes: { files: [] }, calls: [], required: [], seen: [] };

test("changed files are held against protected and writable globs", () => {
  const files = ["src/a.ts", "src/a.test.ts", "bun.lock"].map(changed);
  expect(violations(policies(), { ...nothing, changes: { files } })).toEqual([
    { rule: "src/**/*.test.ts", severity: "disqualify", subject: "src/a.test.ts", blocked: false },
    { rule: "paths.writable", severity: "disqualify", subject: "bun.lock", blocked: false },
  ]);
});

test("rules about paths that cannot be checked any more are broken, and those that still can be are checked", () => {
  const changes = { files: [], unknown: "Too much." };
  const subject = "cannot be checked: Too much.";
  const broken = { severity: "disqualify", blocked: false } as const;
  const { paths } = policies();
  expect(violations(policies(), { ...nothing, changes })).toEqual(
    [...paths.protected, "paths.writable"].map((rule) => ({ rule, ...broken, subject })),
  );
  expect(violations(policies(), { ...nothing, changes, altered: ["src/a.test.ts"] })).toEqual([
    { rule: "src/**/*.test.ts", ...broken, subject: "src/a.test.ts" },
    { rule: "paths.writable", ...broken, subject },
  ]);
  const free = policies({ paths: { writable: ["**"], protected: [] } });
  expect(violations(free, { ...nothing, changes, altered: [] })).toEqual([]);
});

test("a refused call is a violation once, however often it was tried", () => {
  const calls: CallRecord[] = [
    command("git push", "git push*"),
    command("git push", "git push*"),
    command("ls"),
    { tool: "edit_file", effect: "write", subject: "src/.env", refused_by: "src/.env" },
  ];
  expect(violations(policies(), { ...nothing, calls })).toEqual([
    { rule: "git push*", severity: "warn", subject: "git push", blocked: true },
    { rule: "src/.env", severity: "disqualify", subject: "src/.env", blocked: true },
  ]);
});

test("a refused call never disqualifies, a change does", () => {
  const violation = { rule: "src/.env", severity: "disqualify", subject: "src/.env" } as const;
  const done = { ...violation, blocked: false };
  expect(
    disqualifying([
      { ...violation, blocked: true },
      { ...done, severity: "warn" },
    ]),
  ).toBeUndefined();
  expect(disqualifying([{ ...violation, blocked: true }, done])).toEqual(done);
});

test("a violation seen while the arm ran stays, even when its files are ignored as changes", () => {
  const seen = [{ rule: "keep.log", severity: "disqualify", subject: "keep.log", blocked: false }] as const;
  expect(violations(policies(), { ...nothing, seen })).toEqual([...seen]);
});

test("required behaviour counts only calls that ran", async () => {
  const wanted = policies({
    required: [
      { id: "ran-tests", tool: "run_command", match: "bun test*", min: 2 },
      { id: "read-spec", tool: "read_file", match: "docs/**", min: 1 },
      { id: "looked", tool: "list_files", match: null, min: 1 },
    ],
  });
  const calls: CallRecord[] = [
    command("cd a && bash <<'EOF'\nbun test\nEOF"),
    command("bun test", "bun test*"),
    { tool: "read_file", effect: "read", subject: "./docs/.spec.md", refused_by: null },
    { tool: "list_files", effect: "read", subject: "", refused_by: null },
  ];
  expect(await requiredResults(wanted, calls)).toEqual([
    { id: "ran-tests", tool: "run_command", count: 1, min: 2, met: false },
    { id: "read-spec", tool: "read_file", count: 1, min: 1, met: true },
    { id: "looked", tool: "list_files", count: 1, min: 1, met: true },
  ]);
});

test("a call that came to nothing is not done, and counts where there may be only so many", async () => {
  const read = { tool: "read_file", effect: "read", subject: "a.md", refused_by: null } as const;
  const calls: CallRecord[] = [read, { ...read, failed: true }, { ...read, failed: true }];
  const countUpTo = async (max?: number) => {
    const [result] = await requiredResults(
      policies({
        required: [{ id: "read", tool: "read_file", match: null, min: 1, ...(max !== undefined && { max }) }],
      }),
      calls,
    );
    return [result?.count, result?.met];
  };
  expect(await Promise.all([countUpTo(), countUpTo(3), countUpTo(2)])).toEqual([
    [1, true],
    [1, true],
    [3, false],
  ]);
});

test.each([
  ["read", true, null, false],
  ["read", false, null, true],
  ["opaque", false, null, true],
  ["command", false, 1, false],
  ["command", false, 127, true],
  ["command", false, null, true],
] as const)(
  "whether a %s that ended well (%p) with status %p came to nothing: %p",
  (effect, ok, exit_code, nothing) => {
    expect(didNothing(effect, { ok, exit_code })).toBe(nothing);
  },
);

test("commands that ran and that rules could not read are told, once each, and disqualify nobody", async () => {
  const why = "not read: which command $X stands for is known only when it runs";
  const calls = [
    command("$X a"),
    command("$X a"),
    command("bun test"),
    command("$X b", "git push*"),
    command(`ls ${"x".repeat(20_000)}`),
    { ...command("$X c"), effect: "write" } as const,
  ];
  const unread = await unreadCommands(policies(), calls);
  const told = { rule: "commands.deny", severity: "warn", blocked: false } as const;
  const found = violations(policies(), { ...nothing, unread });
  expect(found).toEqual([
    { ...told, subject: `${why}: $X a` },
    {
      ...told,
      subject: `not read: it has more than 16384 characters, which are not read: ls ${"x".repeat(57)}...`,
    },
  ]);
  expect(disqualifying(found)).toBeUndefined();
  const free = policies({ commands: { ...policies().commands, deny: [] } });
  expect(await unreadCommands(free, calls)).toEqual([]);
  const behaviour = (tool: string, match: string | null) => ({ id: "ran-tests", tool, match, min: 1 });
  const freeBut = (one: ReturnType<typeof behaviour>) => unreadCommands({ ...free, required: [one] }, calls);
  expect(await freeBut(behaviour("run_command", null))).toEqual([]);
  expect(await freeBut(behaviour("read_file", "docs/**"))).toEqual([]);
  expect((await freeBut(behaviour("run_command", "bun test*")))[0]).toEqual({
    ...told,
    rule: "required",
    subject: `${why}: $X a`,
  });
  const many = Array.from({ length: 150 }, (_, index) => command(`$X ${index}`));
  expect(await unreadCommands(policies(), many)).toHaveLength(100);
});

test("the event loop runs between long commands", async () => {
  const ids = Array.from({ length: 20 }, (_, index) => `r${index}`);
  const wanted = policies({
    required: ids.map((id) => ({ id, tool: "run_command", match: "bun test*", min: 1 }) as const),
  });
  let [turns, reading] = [0, true];
  const counting = (async () => {
    for (; reading; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  })();
  const calls = Array.from({ length: 10 }, () => command("a;".repeat(8_000)));
  const results = await requiredResults(wanted, calls);
  await unreadCommands(wanted, calls);
  reading = false;
  await counting;
  expect(results.map(({ count }) => count)).toEqual(ids.map(() => 0));
  expect(turns).toBeGreaterThanOrEqual(15);
});

test("missing behaviour is a violation of its own severity", () => {
  const strict = policies({ severity: { protected_path: "warn", denied_command: "warn", required: "disqualify" } });
  const required = [
    { id: "ran-tests", tool: "run_command", count: 1, min: 2, met: false },
    { id: "looked", tool: "list_files", count: 1, min: 1, met: true },
  ] as const;
  const found = violations(strict, { ...nothing, required });
  expect(found).toEqual([
    {
      rule: "required: ran-tests",
      severity: "disqualify",
      subject: "run_command: 1 of at least 2 calls",
      blocked: false,
    },
  ]);
  expect(disqualifying(found)).toEqual(found[0]);
});
