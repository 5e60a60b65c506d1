import { describe, expect, test } from "bun:test";
import type { CommandPolicy } from "../../src/domain/policies.ts";
import { commandMatcher, refusedCommand } from "../../src/policy/command-rules.ts";

const deny = (...rules: string[]): CommandPolicy => ({ deny: rules, allow: null, timeout_s: 60, max_output_kb: 64 });
const only = (...rules: string[]): CommandPolicy => ({ deny: [], allow: rules, timeout_s: 60, max_output_kb: 64 });

describe("a deny rule refuses", () => {
  test.each([
    ["git push*", "git push"],
    ["git push*", "git push origin main"],
    ["git push*", "git   push\torigin"],
    ["git  push*", "git push"],
    ["curl *", "curl"],
    ["curl *", "curl https://example.org/a b"],
    ["*secret*", "cat a/b/secret.txt"],
    ["curl *", "cd src && curl x"],
    ["curl *", "true; curl x"],
    ["curl *", "true & curl x"],
    ["curl *", "true &>log curl x"],
    ["curl *", "echo x | curl -d @- y"],
    ["curl *", "true\ncurl x"],
    ["curl *", "echo $(curl x) done"],
    ["curl *", 'echo "a $(curl x)"'],
    ["curl *", "echo `curl x`"],
    ["curl *", "diff <(curl x) y"],
    ["curl *", "(cd a; (curl x))"],
    ["curl *", "{ curl x; }"],
    ["curl *", "if true; then curl x; fi"],
    ["curl *", "for f in a b; do curl $f; done"],
    ["curl *", "case x in x) curl x;; esac"],
    ["curl *", "f() { curl x; }"],
    ["curl *", "A=1 B='2 3' curl x"],
    ["curl *", "2>/dev/null curl x"],
    ["curl *", "> out curl x"],
    ["curl *", "/usr/bin/curl x"],
    ["curl *", "'curl' x"],
    ["curl *", 'c"ur"l x'],
    ["curl *", "c\\url x"],
    ["curl *", "cu\\\nrl x"],
    ["curl *", "sudo -u root curl x"],
    ["curl *", "env -i A=1 curl x"],
    ["curl *", "timeout -k 5 10 nice -n 5 curl x"],
    ["curl *", "echo x | xargs -n 1 curl"],
    ["curl *", "exec command nohup curl x"],
    ["curl *", "bash -lc 'cd a && curl x'"],
    ["curl *", `sh -c "sh -c 'curl x'"`],
    ["curl *", "eval curl x"],
    ["curl *", "cat <<EOF\ntext\nEOF\ncurl x"],
    ["curl *", "cat <<EOF; curl x\ntext\nEOF"],
    ["curl *", "echo $(( 1 + 2 )) && curl x"],
    ["curl *", "echo $( (true) ; curl x )"],
    ["sudo *", "sudo ls"],
    ['git commit -m "*"', 'git commit -m "a; b"'],
    ["*", "ls"],
  ])("%p refuses %p", (rule, line) => {
    expect(refusedCommand(deny("never *", rule), line)).toBe(rule);
  });
});

describe("a deny rule lets through", () => {
  test.each([
    ["curl *", "echo curl x"],
    ["curl *", "echo 'a; curl x'"],
    ["curl *", 'echo "a && curl x"'],
    ["curl *", "echo a \\; curl x"],
    ["curl *", "true # ; curl x"],
    ["curl *", "cat > note.md <<'EOF'\ncurl x\nEOF"],
    ["curl *", "cat <<-EOF\n\tcurl x\n\tEOF\nls"],
    ["curl *", "curlew x"],
    ["git push*", "git pull && git status"],
    ["git push*", "git commit -m 'git push'"],
    ["ls ?", "ls a"],
    ["curl *", "ls 2>&1 | wc -l"],
    ["curl *", ""],
  ])("%p lets %p run", (rule, line) => {
    expect(refusedCommand(deny(rule), line)).toBeNull();
  });
});

describe("a closed list", () => {
  test.each([
    ["bun test", true],
    ["bun test a.test.ts", true],
    ["CI=1 bun test", true],
    ["bun test 2>&1", true],
    ["bun test && ls -l", true],
    ["ls", true],
    ["if bun test; then ls; fi", true],
    ["", true],
    ["bun install", false],
    ["bun test; rm -rf .", false],
    ["bun test $(cat x)", false],
    ["sudo bun test", false],
    ["sh -c 'bun test'", false],
    ["/tmp/bun test", false],
  ])("of `bun test*` and `ls *`: %p may run: %p", (line, may) => {
    expect(refusedCommand(only("bun test*", "ls *"), line)).toBe(may ? null : "commands.allow");
  });

  test("an empty list lets nothing run", () => {
    expect(refusedCommand(only(), "ls")).toBe("commands.allow");
  });

  test("does not override a deny rule", () => {
    expect(refusedCommand({ ...only("*"), deny: ["curl *"] }, "curl x")).toBe("curl *");
  });
});

test("a required command counts behind wrappers and in chains", () => {
  const lines = ["bun test", "cd a && timeout 60 bun test b", "echo bun test"];
  expect(lines.map((line) => commandMatcher(line)("bun test*"))).toEqual([true, true, false]);
});

test("wrappers around wrappers are refused where a rule could be hidden, and only there", () => {
  const chain = (length: number) => `${"sudo ".repeat(length)}ls`;
  expect(refusedCommand(deny("curl *"), chain(20))).toBeNull();
  expect(refusedCommand(deny("ls"), chain(20))).toBe("ls");
  expect(refusedCommand(deny("curl *"), chain(21))).toBe("commands.deny");
  expect(refusedCommand(deny(), chain(21))).toBeNull();
  expect(refusedCommand(deny("curl *"), chain(23_000))).toBe("commands.deny");
  expect(refusedCommand(deny("curl *"), `env env env env env env sh -c '${"x".repeat(110_000)}'`)).toBe(
    "commands.deny",
  );
  expect(commandMatcher(chain(23_000))("ls")).toBe(false);
});

test("hostile lines are read to the end without overflow", () => {
  const lines = [
    "$(".repeat(50_000),
    "(".repeat(50_000),
    "`".repeat(50_001),
    `"$(`.repeat(20_000),
    "<<a ".repeat(20_000),
  ];
  expect(lines.map((line) => refusedCommand(deny(`${"*a".repeat(20)}!`), line))).toEqual(lines.map(() => null));
});
