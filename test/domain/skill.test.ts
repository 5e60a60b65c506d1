import { expect, test } from "bun:test";
import { skillRead, skillsAmong } from "../../src/domain/skill.ts";

test.each([
  ["read_file", ".claude/skills/iso-dates/SKILL.md", "iso-dates"],
  ["read_file", "/home/agent/.codex/skills/iso-dates/SKILL.md", "iso-dates"],
  ["read_file", "SKILL.md", undefined],
  ["read_file", "iso-dates/SKILL.md.bak", undefined],
  ["run_command", "sed -n '1,200p' \"/home/agent/.agents/skills/iso-dates/SKILL.md\"", "iso-dates"],
  ["run_command", "cd /workspace && cat .agents/skills/iso-dates/SKILL.md | head -20", "iso-dates"],
  ["run_command", "ls skills/iso-dates/SKILL.md; echo a", undefined],
  ["run_command", "find . -path './skills/iso-dates/SKILL.md'", undefined],
  ["run_command", "cat > skills/iso-dates/SKILL.md", undefined],
  ["write_file", "skills/iso-dates/SKILL.md", undefined],
])("%s of %s reads the skill %p", (tool, subject, name) => {
  expect(skillRead(tool, subject)).toBe(name);
});

test("a skill is named by the directory of its file", () => {
  expect(skillsAmong(["CLAUDE.md", "a/b/SKILL.md", "a/b/c.md", "SKILL.md", "d/SKILL.md", "x/b/SKILL.md"])).toEqual([
    "b",
    "d",
  ]);
});
