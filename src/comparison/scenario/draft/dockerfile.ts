import { Unusable } from "../unusable.ts";
import { DockerVariables } from "./docker-variables.ts";

/** What a Dockerfile says of the files and packages of a task; its commands come apart where a shell would part them. */
export interface Dockerfile {
  readonly base: string;
  /** Absolute; where commands run at the end. */
  readonly workdir: string;
  readonly copies: readonly CopyStep[];
  readonly debian: readonly string[];
  /** Arguments of `pip install`, such as `pandas==2.3.2`. */
  readonly python: readonly string[];
  /** Programs that it asks for their version. */
  readonly programs: readonly string[];
  /** Other commands, in their order. */
  readonly commands: readonly string[];
  /** Commands that install for the whole system: a workspace has no such step. */
  readonly for_system: readonly string[];
  readonly variables: DockerVariables;
}

interface CopyStep {
  /** In the directory of the Dockerfile. */
  readonly sources: readonly string[];
  /** Absolute; a directory when it ends in a slash. */
  readonly target: string;
}

/** Lines of a Dockerfile that are read. */
const MAX_LINES = 2_000;

interface Reading {
  base: string;
  workdir: string;
  readonly copies: CopyStep[];
  readonly debian: string[];
  readonly python: string[];
  readonly programs: string[];
  readonly commands: string[];
  readonly for_system: string[];
  readonly variables: DockerVariables;
}

/** @throws Unusable for what cannot be done without building an image */
export function readDockerfile(text: string): Dockerfile {
  const lists = { copies: [], debian: [], python: [], programs: [], commands: [], for_system: [] };
  const file: Reading = { base: "", workdir: "/", ...lists, variables: new DockerVariables() };
  for (const line of instructionsOf(text)) {
    const [, word = "", rest = ""] = /^(\w+)\s+(.*)$/s.exec(line) ?? [];
    const keyword = word.toUpperCase();
    const read = READERS.get(keyword);
    if (read !== undefined) read(rest, file);
    else if (!HARMLESS.has(keyword)) throw new Unusable(`has a Dockerfile with ${keyword || "an unknown line"}`);
  }
  if (file.base === "") throw new Unusable("has a Dockerfile without FROM");
  return file;
}

const copyInto = (rest: string, file: Reading) => void file.copies.push(copyOf(rest, file.workdir));

function setBase(rest: string, file: Reading): void {
  file.base = baseOf(rest, file.base);
}

function setWorkdir(rest: string, file: Reading): void {
  file.workdir = below(file.workdir, file.variables.expanded(rest.trim()));
  if (file.workdir.length > MAX_PATH) throw new Unusable("has a Dockerfile with a path that is too long");
}

/** What an instruction does to what was read. */
const READERS: ReadonlyMap<string, (rest: string, file: Reading) => void> = new Map([
  ["FROM", setBase],
  ["WORKDIR", setWorkdir],
  ["COPY", copyInto],
  ["ADD", copyInto],
  ["RUN", takeAll],
  ["ENV", (rest: string, { variables }: Reading) => void variables.take(rest)],
  ["CMD", checkStart],
  ["ENTRYPOINT", checkStart],
]);

const HARMLESS: ReadonlySet<string> = new Set([
  "ARG",
  "LABEL",
  "EXPOSE",
  "USER",
  "SHELL",
  "VOLUME",
  "MAINTAINER",
  "STOPSIGNAL",
]);

/** One instruction each, without comments, continued lines joined. */
function instructionsOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.length > MAX_LINES) throw new Unusable(`has a Dockerfile of more than ${MAX_LINES} lines`);
  const kept = lines.map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"));
  if (kept.some((line) => /^(RUN|COPY|ADD)\s.*<<-?["']?\w/i.test(line)))
    throw new Unusable("has a Dockerfile with a here-document");
  const found: string[] = [];
  let open = "";
  for (const line of kept) {
    const isOpen = line.endsWith("\\");
    open += isOpen ? `${line.slice(0, -1)} ` : line;
    if (!isOpen) found.push(open);
    if (!isOpen) open = "";
  }
  return open === "" ? found : [...found, open];
}

function baseOf(rest: string, before: string): string {
  if (before !== "") throw new Unusable("builds its image in several stages");
  return rest.replace(/^--platform=\S+\s+/, "").split(/\s/, 1)[0] ?? "";
}

/** The absolute path of one that may be relative. */
const below = (directory: string, path: string) =>
  path.startsWith("/") ? path : `${directory === "/" ? "" : directory}/${path.replace(/^(\.\/)+|^\.$/, "")}`;

const unquoted = (word: string) => word.trim().replace(/^(["'])(.*)\1$/, "$2");

/** Characters of a path, as Linux has them. */
const MAX_PATH = 4_096;

function copyOf(rest: string, workdir: string): CopyStep {
  if (/--from=/.test(rest)) throw new Unusable("copies files of another image");
  const plain = rest.replace(/^(--\S+\s+)+/, "").trim();
  const words = (plain.startsWith("[") ? jsonWords(plain) : plain.split(/\s+/)).map(unquoted);
  if (words.some((word) => word.length > MAX_PATH)) throw new Unusable("has a Dockerfile with a path that is too long");
  const target = words.at(-1) ?? "";
  const sources = words.slice(0, -1);
  if (sources.length === 0 || sources.some((source) => /^\w+:\/\/|\$/.test(source)) || target.includes("$"))
    throw new Unusable(`has a Dockerfile that copies in a way that is not known: ${plain.slice(0, SHOWN)}`);
  const isDirectory = sources.length > 1 || /(^|\/)\.?$/.test(target);
  const absolute = below(workdir, target).replace(/(?<!\/)\/+$/, "");
  return { sources, target: isDirectory ? `${absolute}/` : absolute };
}

function jsonWords(text: string): string[] {
  try {
    return (JSON.parse(text) as unknown[]).map(String); // the target is checked by who called
  } catch {
    throw new Unusable("has a Dockerfile with a broken list");
  }
}

/** Characters of a command in a message. */
const SHOWN = 100;

/** Takes the commands of a RUN line. Those around a program that is fetched for the whole system make nothing for a workspace. */
function takeAll(line: string, file: Reading): void {
  const isInstaller = FETCHES.test(line) && FOR_THE_SYSTEM.test(line);
  for (const command of commandsOf(line)) take(command, isInstaller ? { ...file, commands: file.for_system } : file);
}

const FETCHES = /(?:^|[\s&;])(?:curl|wget)\s/;
const FOR_THE_SYSTEM = /\|\s*(?:sudo\s+(?:-E\s+)?)?(?:ba)?sh(?:\s|$)|\s-C\s*\/(?:usr|opt)\//;

/** Commands of a RUN line, parted at `&&` and `;` outside of quotes and of the shell's compound commands. */
function commandsOf(line: string): string[] {
  const text = line.replace(/^(--\S+\s+)+/, "");
  const commands: string[] = [];
  let [command, part, open] = ["", "", 0];
  const end = (separator: string) => {
    open += opened(part);
    command += part;
    if (open > 0) command += separator;
    else commands.push(command.trim());
    if (open <= 0) command = "";
    part = "";
  };
  for (const [piece] of text.matchAll(/"[^"]*"|'[^']*'|&&|;|[^"'&;]+|[\s\S]/g)) {
    if (piece === "&&" || piece === ";") end(piece);
    else part += piece;
  }
  open = 0;
  end("");
  return commands.filter((one) => one !== "");
}

/** How many compound commands a part begins, less those that it ends. */
function opened(part: string): number {
  if (/^\s*(?:fi|done|esac)\b/.test(part)) return -1;
  return /^\s*(?:(?:then|do|else)\s+)?(?:if|for|while|until|case)\s/.test(part) ? 1 : 0;
}

/** Sorts a command: packages are noted, what only prepares an image is left out, the rest is kept. */
function take(command: string, { debian, python, programs, commands, for_system }: Reading): void {
  const words = command.replace(/^((sudo|\w+=\S*)\s+)+/, "").trim();
  const apt = /^apt(?:-get)?\s+(?:-\S+\s+)*install\s+(.*)$/.exec(words);
  const pip = PIP_INSTALL.exec(words);
  const asked = /^([\w+.-]+) (?:--?)?version$/.exec(words);
  if (apt) debian.push(...wordsOf(apt[1] ?? "").map((name) => name.replace(/[=:].*$/, "")));
  else if (pip) python.push(...pipArguments(pip[1] ?? ""));
  else if (asked) programs.push(asked[1] ?? "");
  else if (INSTALLS.test(words)) for_system.push(words);
  else if (!PREPARES.some((pattern) => pattern.test(words))) commands.push(words);
}

const wordsOf = (text: string) =>
  text
    .split(/\s+/)
    .map(unquoted)
    .filter((word) => word !== "" && !word.startsWith("-"));

/** Installs packages of Python, by any of the usual names. */
export const PIP_INSTALL = /^(?:python3?(?:\.\d+)? -m pip|pip3?|uv pip)\s+install\s+(.*)$/;

/** What is installed; pip itself and flags that matter to an image alone are left out. @throws Unusable */
export function pipArguments(text: string): string[] {
  const [before = ""] = text.split(/\s(?:2?>|\|\||&&|;|#)/, 1);
  const words = before.trim().split(/\s+/).map(unquoted);
  const valued = words.find((word) => /^(-i|-f|-e|--(extra-)?index-url|--find-links|--editable)/.test(word));
  if (valued !== undefined) throw new Unusable(`installs Python packages with ${valued}`);
  return words.flatMap((word, index) => {
    if (words[index - 1] === "-r") return [`-r ${word}`];
    return word === "" || word.startsWith("-") || /^(pip|setuptools|wheel)\b/.test(word) ? [] : [word];
  });
}

const INSTALLS = /^(add-apt-repository|npm (install|i) (-g|--global)|rustup|corepack)\s/;

/** What an image needs and a workspace does not. */
const PREPARES: readonly RegExp[] = [
  /^apt(-get)?\s/,
  /^rm -rf? (\/var\/(lib\/apt|cache)|\/tmp\/|\/root\/\.cache|~\/\.cache)/,
  /^ln -sf? \/usr\/bin\/python3(\.\d+)? \/usr\/(local\/)?bin\/python$/,
  /^(locale-gen|ldconfig|true|set -|export |update-(alternatives|ca-certificates))/,
  /^mkdir (-p )?(\/tests|\/logs|\/oracle|\/solution)\S*$/,
  // Files for a moment; what reads one later is refused for its path.
  /^(echo|printf)\s[^|&;]*>\s*\/tmp\/\S+$/,
];

function checkStart(rest: string): void {
  if (/^\[?\s*"?(\/bin\/)?(ba)?sh"?|^\[?\s*"?(sleep|tail|python3?"?\s*\]?$)/.test(rest.trim())) return;
  throw new Unusable(`starts a service: ${rest.slice(0, SHOWN)}`);
}
