import { expect, test } from "bun:test";
import { join } from "node:path";
import manifest from "../../package.json";
import { changelogSection } from "../../release/changelog-section.ts";
import { ROOT } from "../abeval.ts";

const CHANGELOG = "# Changelog\n\n## [Unreleased]\n\n## [1.1.0]\n\n### Added\n\n- Two.\n\n## [1.0.0]\n\n- One.\n";

test("the notes of a version are its section and no other", () => {
  expect(changelogSection(CHANGELOG, "1.1.0")).toBe("### Added\n\n- Two.\n");
  expect(changelogSection(CHANGELOG, "1.0.0")).toBe("- One.\n");
});

test.each(["2.0.0", "Unreleased", ""])("a version without notes (%p) is refused", (version) => {
  expect(() => changelogSection(CHANGELOG, version)).toThrow("CHANGELOG.md says nothing about");
});

test("the changelog has notes for the current version", async () => {
  const changelog = await Bun.file(join(ROOT, "CHANGELOG.md")).text();
  expect(changelogSection(changelog, manifest.version)).not.toBe("");
});
