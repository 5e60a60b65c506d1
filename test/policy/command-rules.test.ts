import { describe, expect, test } from "bun:test";
import { commandMatcher, refusedCommand, unreadIn } from "../../src/arms/policy/command-rules.ts";
import type { CommandPolicy } from "../../src/domain/policies.ts";

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
    ["touch *", "bits=$(( (1) << 3 ))\ntouch x"],
    ["touch *", "bash <<'EOF'\ntouch x\nEOF"],
    ["touch *", 'cat <<E"OF"\ntext\nEOF\ntouch x'],
    ["touch *", "cat <<EOF\n$(touch x)\nEOF"],
    ["touch *", "bash <<EOF\nls \\$(touch x)\nEOF"],
    ["touch *", "{ bash; } <<EOF\ntouch x\nEOF"],
    ["touch *", "cat <<EOF | sudo sh -s -- a\ntouch x\nEOF"],
    ["touch *", "bash -s <<< 'touch x'"],
    ["touch *", "echo 'touch x' | sh"],
    ["touch *", "printf 'ls\\ntouch x\\n' | bash"],
    ["touch *", "echo $'a\\'; ' && touch x"],
    ["touch *", "$'touch' x"],
    ["touch *", `: \${a:-$(touch x)}`],
    ["touch *", "a=([$(touch x)]=1)"],
    ["touch *", "((touch x))"],
    ["touch *", "find . -exec ls {} \\; -execdir env touch {} +"],
    ["touch *", "trap 'touch x' EXIT"],
    ["touch *", "sudo -nu root -- touch x"],
    ["touch *", "timeout --signal KILL 5 touch x"],
    ["touch *", "bash -euo pipefail -c 'touch x'"],
    ["touch *", "$DIR/bin/touch x"],
    ["touch *", "touch x; echo 'never ends"],
    ["touch *", "coproc touch x"],
    ["echo * > *.ts", "echo a > b.ts"],
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
    ["curl *", "command -v curl"],
    ["curl *", "sudo -l curl"],
    ["curl *", "which curl; type curl"],
    ["curl *", "echo '$(curl x)'"],
    ["curl *", "[[ curl == curl ]]"],
    ["curl *", "git commit -m \"$(cat <<'EOF'\ncurl x\nEOF\n)\""],
    ["* push*", "git commit -m \"$(cat <<'EOF'\ngit push\nEOF\n)\""],
    ["curl *", "curl=1; for curl in a; do ls; done"],
    ["curl *", "trap - curl"],
    ["curl *", "find . -name curl"],
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
    ["ls <<EOF\n$(rm x)\nEOF", false],
    ["ls <(rm x)", false],
    [`ls \${a:-$(rm x)}`, false],
    ["ls <<'EOF'\n$(rm x)\nEOF", true],
    ["ls $((1 << 2))", true],
    ["[[ -n $a ]] && ls", true],
    ["$X test", false],
    ["ls 'never ends", false],
    [`ls ${"x".repeat(16_384)}`, false],
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
  expect(refusedCommand(deny("curl *"), chain(3_000))).toBe("commands.deny");
  expect(refusedCommand(deny("curl *"), `${"/bin/env ".repeat(19)}sh -c '${"x ".repeat(8_000)}' >a`)).toBe(
    "commands.deny",
  );
  expect(commandMatcher(chain(3_000))("ls")).toBe(false);
});

test.each([
  ["it has more than 16384 characters, which are not read", `ls ${"x".repeat(16_383)}`],
  ["it has more than 800 `${`", `echo ${'"${a:-'.repeat(801)}`],
  ["it has more than 2000 backquotes and quotation marks", `echo ${'"`'.repeat(2_001)}`],
  ["unterminated single quote at `'never ends`", "echo 'never ends"],
  ["unterminated single quote at `'never ends`", `bash -c "echo 'never ends"`],
  ["which command $X stands for is known only when it runs", "sudo $X y"],
  ["which command {touch,x} stands for is known only when it runs", "{touch,x}"],
  ["which command cur? stands for is known only when it runs", "cur? x"],
  ["which command $X stands for is known only when it runs", 'bash -c "$X"'],
  ["what bash is given to run is known only when it runs", "curl x | bash"],
  ["what sh is given to run is known only when it runs", "(cat a; cat b) | sudo sh -s"],
  ["what bash is given to run is known only when it runs", "bash <(curl x)"],
  ["scripts in scripts are read 3 deep", "eval eval eval eval ls"],
  ["it has more than 40 levels", `echo ${"$(echo ".repeat(20)}${")".repeat(20)}`],
  [null, "xargs bash < list"],
  [null, '"$DIR/bin/python" -m pytest'],
  [null, "(( (a + b) * 2 > 3 ))"],
  [null, "cat <<EOF\nnever ends"],
  [null, ""],
])("what cannot be read is told: %p", (why, line) => {
  expect(unreadIn(line)).toBe(why);
});
