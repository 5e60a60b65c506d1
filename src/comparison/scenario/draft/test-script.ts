import { Unusable } from "../unusable.ts";
import { PIP_INSTALL, pipArguments } from "./dockerfile.ts";

/** A script that runs tests, without the lines that install what they need, and what those would install. */
interface OfflineScript {
  readonly text: string;
  readonly python: readonly string[];
}

/** Lines that fetch tools; what follows an `&&` stays. */
const FETCHES =
  /^(?:apt(?:-get)?\s|curl\s[^|]*\|\s*(?:ba)?sh|(?:source|\.)\s+(?:"?\$HOME|~|\/root)?\S*(?:\.local\/bin\/env|\.cargo\/env|\.venv\/bin\/activate)|source\s+\S*setup-uv-pytest\.sh|uv\s+(?:init|venv|sync|python))/;

/** What still needs a network. */
const ONLINE =
  /(?<![\w/.-])(?:apt-get|curl|wget|pip3? install|git clone|npm (?:install|ci)|cargo install|go get|uvx?)\s/;

/** @throws Unusable for what cannot run without a network */
export function offlineScript(script: string): OfflineScript {
  const python: string[] = [];
  const text = script
    .split("\n")
    .map((line) => offlineLine(line, python))
    .join("\n");
  const online = text.split("\n").find((line) => !/^\s*#/.test(line) && ONLINE.test(`${line} `));
  if (online !== undefined) throw new Unusable(`has tests that need the network: ${online.trim().slice(0, SHOWN)}`);
  return { text, python };
}

/** Characters of a line in a message. */
const SHOWN = 100;

function offlineLine(line: string, python: string[]): string {
  const [, indent = "", command = ""] = /^(\s*)(.*)$/.exec(line) ?? [];
  const rest = command.includes("&& ") ? command.slice(command.indexOf("&& ") + 3) : ":";
  const added = PIP_INSTALL.exec(command) ?? /^uv\s+add\s+(.*)$/.exec(command);
  if (added) {
    python.push(...pipArguments(added[1] ?? ""));
    return indent + rest.replace(/^.*\|\|.*$/, ":");
  }
  if (FETCHES.test(command)) return indent + rest;
  if (/run-uv-pytest\.sh/.test(command)) {
    python.push("pytest");
    return `${indent}python3 -m pytest "$TEST_DIR"/test_outputs.py -rA`;
  }
  return indent + withoutUv(command, python);
}

/** `uv run pytest ...` and `uvx -w pytest pytest ...` as the command that they run. */
function withoutUv(command: string, python: string[]): string {
  const found = /^(?:uvx|uv\s+run|uv\s+tool\s+run)\s+(.*)$/.exec(command);
  if (found === null) return command;
  const words = (found[1] ?? "").split(/\s+/);
  while (words[0]?.startsWith("-")) {
    const flag = words.shift() ?? "";
    const value = flag.includes("=") || flag === "--isolated" || flag === "--no-project" ? "" : (words.shift() ?? "");
    if (/^(-w|--with)$/.test(flag)) python.push(value);
  }
  if (words[0] === "pytest") python.push("pytest");
  return words[0] === "pytest" ? `python3 -m ${words.join(" ")}` : words.join(" ");
}
