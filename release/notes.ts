import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { changelogSection } from "./changelog-section.ts";

const changelog = await readFile(join(import.meta.dir, "../CHANGELOG.md"), "utf8");
process.stdout.write(changelogSection(changelog, process.argv[2] ?? ""));
