import { expect, test } from "bun:test";
import { refusedCommand } from "../../src/arms/policy/command-rules.ts";
import type { CommandPolicy } from "../../src/domain/policies.ts";

const deny = (...rules: string[]): CommandPolicy => ({ deny: rules, allow: null, timeout_s: 60, max_output_kb: 64 });
const only = (...rules: string[]): CommandPolicy => ({ deny: [], allow: rules, timeout_s: 60, max_output_kb: 64 });

const FAMILIES = [
  ...[
    "$(",
    "$( (",
    "(",
    "((",
    "$((",
    "{ ",
    "${a:-",
    '"$(',
    '"${a:-"',
    "'",
    "\\",
    "`",
    "\\`",
    "<<a ",
    "cat <<a\n$(",
    "<(",
    ">(",
    "a=(",
  ],
  ...[
    "case x in ",
    "case x in a) ",
    "if ",
    "f() {",
    "for a in $(",
    "[[ ( ",
    "! ",
    "@(",
    "$[",
    "<<<$(",
    "(( $((",
    "$(( `",
    "${ ",
    "((a=$(",
  ],
  ...[
    "coproc ",
    "time ",
    "eval ",
    "sudo ",
    "find -exec ",
    "a &>b ",
    "a|",
    "$'\\",
    "{a,",
    "echo $(",
    "bash -c '",
    "echo a | sh <<<",
  ],
];

test("hostile lines of any size are read without overflow", () => {
  for (const unit of FAMILIES)
    for (const size of [16_384, 2_000_000]) {
      const line = unit.repeat(Math.floor(size / unit.length));
      expect([null, "commands.deny"]).toContain(refusedCommand(deny(`${"*a".repeat(20)}!`), line));
      expect([null, "commands.allow"]).toContain(refusedCommand(only("ls"), line));
    }
});
