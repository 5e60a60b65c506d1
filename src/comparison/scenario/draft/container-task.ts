import { dirname } from "node:path/posix";
import { coverEachOther, mountPointFault, WORKSPACE_AT } from "../../../domain/mount-point.ts";
import { debianPackages } from "../../../runtime/debian-packages.ts";
import { findProgram } from "../../../runtime/find-program.ts";
import type { Draft } from "../draft-scenario.ts";
import { Unusable } from "../unusable.ts";
import { type Dockerfile, readDockerfile } from "./dockerfile.ts";
import { copied, type Material, type SourceFile } from "./material.ts";

/** A task that brings a Dockerfile, as Harbor and Terminal-Bench have it. */
export interface ContainerTask {
  readonly dockerfile: string;
  /** The files that the Dockerfile can copy, by their path there. */
  readonly context: readonly SourceFile[];
  readonly tests: readonly SourceFile[];
  /** Texts that say which paths the task needs: its tests, and the script that runs them. */
  readonly texts: readonly string[];
  /** Packages that the tests install. */
  readonly python: readonly string[];
}

/** Where a task's files stand, and how its commands are run. */
export interface Container extends Pick<Draft, "at" | "also" | "env" | "setup" | "notes"> {
  readonly material: readonly Material[];
  /** Put before a command of a check or a solution. */
  readonly enter: string;
  readonly workdir: string;
}

/** Where tasks of these forms expect their hidden tests and leave their logs. Commands find them empty. */
export const TESTS_AT = "/tests";
export const LOGS_AT = "/logs";

/** The hidden tests in the workspace, until a check copies them to where they are expected. */
export const HIDDEN_TESTS = ".abeval/tests";

/** @throws Unusable with what the sandbox cannot give */
export function containerOf({ dockerfile, context, tests, texts, python }: ContainerTask): Container {
  const image = readDockerfile(dockerfile);
  demandPrograms(image);
  const { env, extends_path } = image.variables;
  const placed = image.copies.flatMap(({ sources, target }) =>
    sources.flatMap((source) => place(context, source, target)),
  );
  const at = placeOfWork(image.workdir, placed, texts);
  const inside = placed.filter(({ to }) => to.startsWith(`${at}/`));
  const beside = placed.filter(({ to }) => !to.startsWith(`${at}/`));
  const also = placesBeside(beside, at);
  demandPaths(at, placed, also, [...texts, ...image.commands, ...Object.values(env)]);
  const packages = [...image.python, ...python];
  const steps = image.commands.map((command) => inDirectory(image.workdir, at, command));
  return {
    ...(at !== WORKSPACE_AT && { at }),
    also: {
      ...Object.fromEntries(also.map((path) => [path, { dir: `also${path}` }])),
      [TESTS_AT]: { private: true },
      [LOGS_AT]: { private: true },
    },
    ...(Object.keys(env).length > 0 && { env }),
    notes: extends_path ? [{ path: ["task", "fixture"], text: PATH_NOTE }] : [],
    setup: [...(packages.length > 0 ? [installStep(packages, at)] : []), ...steps],
    material: [
      ...distinct([...inside.map(toFixture(at)), ...beside.map(({ file, to }) => ({ file, path: `also${to}` }))]),
      ...copied(tests, `probe/${HIDDEN_TESTS}`),
    ],
    enter: `cp -r ${HIDDEN_TESTS}/. ${TESTS_AT} && export TEST_DIR=${TESTS_AT} PATH="${at}/.venv/bin:$PATH" && cd '${image.workdir}'`,
    workdir: image.workdir,
  };
}

const PATH_NOTE = "The Dockerfile adds to PATH; that is left out: commands find the programs of this machine.";

/** Told to an arm that begins above the directory of the commands, or finds packages in one of its own. */
export function whereToWork({
  at = WORKSPACE_AT,
  workdir,
  setup,
}: Pick<Container, "at" | "workdir" | "setup">): string {
  const place = at === workdir ? "" : `\nWork in \`${workdir}\`.\n`;
  return setup[0]?.includes("-m venv") ? `${place}\nPython packages of the task may be in \`${at}/.venv\`.\n` : place;
}

/** What images are made of that this machine has as it is. */
const PLAIN_BASES =
  /^((docker\.io\/)?(library\/)?(ubuntu|debian|buildpack-deps|python|node|golang|rust|gcc|ruby)|ghcr\.io\/laude-institute\/t-bench\/[\w-]+)(:[\w.-]+)?$/;

const PROGRAM_OF: Readonly<Record<string, string>> = {
  ...{ python: "python3", node: "node", golang: "go", rust: "cargo", gcc: "gcc", ruby: "ruby" },
};

/** Directories that commands in the sandbox look in. */
const SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin";

/** Packages that no task's commands need without a network, or that every machine has. */
const NEVER_NEEDED =
  /^(tmux|asciinema|ca-certificates|locales|tzdata|software-properties-common|apt-utils|apt-transport-https|gnupg2?|lsb-release|sudo|vim|nano|less|curl|wget|dos2unix|python3(-pip|-venv|-dev|\.\d+(-venv|-dev)?)?|python3-distutils)$/;

/** Programs that come with the packages of a task, or under another name. */
const WITH_PACKAGES = /^(pip|python|jest|uv)/;

function demandPrograms({ base, debian, programs }: Dockerfile): void {
  const [, , , family = ""] = PLAIN_BASES.exec(base) ?? [];
  if (!PLAIN_BASES.test(base) || /alpine/.test(base)) throw new Unusable(`needs an image: ${base}`);
  const demanded = [PROGRAM_OF[family] ?? [], programs.filter((name) => !WITH_PACKAGES.test(name))].flat();
  const program = demanded.find((name) => findProgram(name, SYSTEM_PATH) === null);
  if (program !== undefined) throw new Unusable(`needs a program that this machine lacks below /usr: ${program}`);
  const wanted = debian.filter((name) => !NEVER_NEEDED.test(name));
  if (wanted.length === 0) return;
  const installed = debianPackages();
  const absent = installed === null ? wanted : wanted.filter((name) => !installed.has(name));
  if (absent.length > 0) throw new Unusable(`needs Debian packages that this machine lacks: ${absent.join(" ")}`);
}

/** A file and where the Dockerfile puts it. */
interface Placed {
  readonly file: SourceFile;
  /** Absolute. */
  readonly to: string;
}

/** A directory's contents go into the target. @throws Unusable for a source that is not there */
function place(context: readonly SourceFile[], source: string, target: string): Placed[] {
  const from = source.replace(/^(\.?\/)+/, "").replace(/(?<!\/)\/+$/, "");
  const directory = target.replace(/\/$/, "");
  if (from === "." || from === "") return context.map((file) => ({ file, to: `${directory}/${file.path}` }));
  if (from.split("*").length > 3)
    throw new Unusable(`copies with more than two stars: ${JSON.stringify(source.slice(0, 100))}`);
  const pattern = new RegExp(`^${from.split("*").map(RegExp.escape).join("[^/]*")}(?:/(.+))?$`);
  const found = context.flatMap((file) => {
    const match = pattern.exec(file.path);
    if (match === null) return [];
    const name = file.path.split("/").at(-1);
    return [
      { file, to: match[1] === undefined && !target.endsWith("/") ? target : `${directory}/${match[1] ?? name}` },
    ];
  });
  if (found.length === 0) throw new Unusable(`copies ${JSON.stringify(source)}, which is not there`);
  return found;
}

/** The directory that arms work in: that of commands, or one above it where files and tests need that. */
function placeOfWork(workdir: string, placed: readonly Placed[], texts: readonly string[]): string {
  const above = dirname(workdir);
  const outside = [...placed.map(({ to }) => to), ...texts.flatMap(pathsIn)].some(
    (path) => path.startsWith(`${above}/`) && !path.startsWith(`${workdir}/`) && path !== workdir,
  );
  const at = outside && above !== "/" && mountPointFault(above) === null ? above : workdir;
  const fault = mountPointFault(at);
  if (fault !== null) throw new Unusable(`works in a system path: ${at}, which ${fault}`);
  return at;
}

/** The directories outside of the work that hold its files, none in another. @throws Unusable */
function placesBeside(beside: readonly Placed[], at: string): string[] {
  const roots = new Set(beside.map(({ to }) => rootOf(to)));
  for (const root of roots) {
    const fault = mountPointFault(root) ?? (coverEachOther(root, at) ? `covers ${at}` : null);
    if (fault !== null) throw new Unusable(`puts files into a system path: ${root}, which ${fault}`);
  }
  return [...roots].sort();
}

/** The top directory of a path; below a shared one the directory in it. */
function rootOf(path: string): string {
  const steps = dirname(path).split("/");
  return steps.slice(0, /^\/(home|opt|var|srv|mnt)\//.test(path) ? 3 : 2).join("/");
}

/** Absolute paths in a text, as tests and scripts name them. */
const pathsIn = (text: string): string[] => text.match(/(?<![\w.$}*)\]:/~-])\/(?:[\w.@+-]+\/)*[\w.@+-]+/g) ?? [];

/** Paths of the system that tests may read, and where nothing of a task lies. */
const OF_THE_SYSTEM = /^\/(usr|bin|sbin|lib|lib64|dev|proc)(\/|$)/;

/** A path that is neither of the work nor shown beside it would be lost between two commands. @throws Unusable */
function demandPaths(at: string, placed: readonly Placed[], also: readonly string[], texts: readonly string[]): void {
  const known = new Set(placed.flatMap(({ to }) => [to, ...directoriesOf(to)]));
  const ours = [at, TESTS_AT, LOGS_AT, "/oracle", "/solution"];
  for (const path of new Set(texts.flatMap(pathsIn))) {
    if (ours.some((place) => isIn(path, place)) || OF_THE_SYSTEM.test(path) || known.has(path)) continue;
    if (also.some((place) => isIn(path, place)))
      throw new Unusable(`leaves its work beside its directory: ${path}, outside of ${at}`);
    if (PLACE.test(path)) throw new Unusable(`needs a path outside of its directory: ${path}`);
  }
}

const isIn = (path: string, place: string) => path === place || path.startsWith(`${place}/`);

/** Every directory above a path. */
const directoriesOf = (path: string) =>
  path
    .split("/")
    .slice(1, -1)
    .map((_, index, steps) => `/${steps.slice(0, index + 1).join("/")}`);

/** Names at the top of a file system. Other words with a slash are routes, types and the like. */
const PLACE =
  /^\/(app|data|workspace|root|home|opt|var|srv|mnt|etc|tmp|testbed|output|project|run|boot|build|code|task|logs?)(\/|$)/;

const toFixture =
  (at: string) =>
  ({ file, to }: Placed) => ({ file, path: `fixture${to.slice(at.length)}` });

/** A later copy takes the place of an earlier one. */
function distinct(placed: readonly { readonly file: SourceFile; readonly path: string }[]): Material[] {
  const last = new Map(placed.map(({ file, path }) => [path, file]));
  return [...last].map(([path, { absolute, stats }]) => ({
    path,
    from: absolute,
    executable: (stats.mode & 0o111) !== 0,
  }));
}

/** Packages that are there already need no network. */
function installStep(packages: readonly string[], at: string): string {
  const words = [...new Set(packages)].map((word) => (word.startsWith("-r ") ? word : quoted(word)));
  const names = words.map((word) => word.replace(/['"]/g, "").split(/[=<>!~[;]/, 1)[0] ?? "");
  const isKnown = names.every((name) => /^[a-z]\w*$/.test(name));
  const install = `python3 -m venv --system-site-packages ${at}/.venv && ${at}/.venv/bin/pip install --quiet ${words.join(" ")}`;
  return isKnown ? `python3 -c 'import ${names.join(", ")}' 2>/dev/null || { ${install}; }` : install;
}

const quoted = (word: string) => (/^[\w.=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

const inDirectory = (workdir: string, at: string, command: string) =>
  workdir === at ? command : `mkdir -p '${workdir}' && cd '${workdir}' && ${command}`;
