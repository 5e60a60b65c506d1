import { existsSync, readFileSync } from "node:fs";
import { mountPointFault, WORKSPACE_AT } from "../../../domain/mount-point.ts";
import { findProgram } from "../../../runtime/find-program.ts";
import type { Draft } from "../draft-scenario.ts";
import { Unusable } from "../unusable.ts";
import { type Dockerfile, readDockerfile } from "./dockerfile.ts";
import { copied, type Material, type SourceFile } from "./material.ts";
import { demandPaths, LOGS_AT, placedAt, placeOfWork, placesBeside, TESTS_AT, toFixture } from "./placed-files.ts";

/** A task that brings a Dockerfile or names an image, as Harbor and Terminal-Bench have it. */
export interface ContainerTask extends ImageOfTask {
  readonly dockerfile: string;
  /** The files that the Dockerfile can copy, by their path there. */
  readonly context: readonly SourceFile[];
  readonly tests: readonly SourceFile[];
  /** Texts that say which paths the task needs: its tests, and the script that runs them. */
  readonly texts: readonly string[];
  /** Packages that the tests install. */
  readonly python: readonly string[];
}

interface ImageOfTask {
  /** Names under which its image may be stored. */
  readonly called: readonly string[];
  /** An image that it names in place of its Dockerfile's. */
  readonly demanded?: string;
  /** Absent: the user has none. */
  readonly images?: TaskImages | undefined;
}

/** Where a task's files stand, and how its commands are run. */
interface Container extends Pick<Draft, "at" | "also" | "env" | "setup" | "notes" | "image"> {
  readonly material: readonly Material[];
  /** Put before a command of a check or a solution. */
  readonly enter: string;
  readonly workdir: string;
}

/** The hidden tests in the workspace, until a check copies them to where they are expected. */
const HIDDEN_TESTS = ".abeval/tests";

/** @throws Unusable with what the sandbox cannot give */
export function containerOf(task: ContainerTask): Container {
  const { demanded, images, called } = task;
  const stored = images?.find([...called, ...(demanded === undefined ? [] : [demanded])]);
  if (stored !== undefined) return onImage(task, stored);
  if (demanded !== undefined) throw new Unusable(`needs an image: ${demanded}`);
  const image = readDockerfile(task.dockerfile);
  const base = isPlain(image) ? undefined : images?.find([image.base]);
  if (base === undefined) return withoutImage(task, image);
  const { env, extends_path } = image.variables;
  const isElsewhere = image.workdir !== "/" && image.workdir !== workIn(base);
  const adds = [image.copies, image.commands, image.for_system, image.debian.filter(isNeeded)].some(
    ({ length }) => length > 0,
  );
  if (adds || extends_path || isElsewhere) throw new Unusable(`needs an image: its Dockerfile adds to ${image.base}`);
  const container = onImage({ ...task, python: [...image.python, ...task.python] }, base);
  return { ...container, ...(Object.keys(env).length > 0 && { env }) };
}

/** The image has all that the Dockerfile says. */
function onImage({ tests, python }: ContainerTask, image: StoredImage): Container {
  const at = workIn(image);
  return {
    image: imageField(image),
    also: { [TESTS_AT]: { private: true }, [LOGS_AT]: { private: true } },
    notes: [],
    setup: python.length > 0 ? [installStep(python, at)] : [],
    material: copied(tests, `probe/${HIDDEN_TESTS}`),
    enter: enterAt(at, at),
    workdir: at,
  };
}

/** @throws Unusable for a path that a shell would read otherwise */
function enterAt(at: string, workdir: string): string {
  for (const path of [at, workdir])
    if (!/^[\w./@+-]+$/.test(path)) throw new Unusable(`works in a path with other characters: ${path}`);
  return `cp -r ${HIDDEN_TESTS}/. ${TESTS_AT} && export TEST_DIR=${TESTS_AT} PATH="${at}/.venv/bin:$PATH" && cd '${workdir}'`;
}

function withoutImage({ context, tests, texts, python }: ContainerTask, image: Dockerfile): Container {
  demandPrograms(image);
  const { env, extends_path } = image.variables;
  const placed = image.copies.flatMap(({ sources, target }) =>
    sources.flatMap((source) => placedAt(context, source, target)),
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
    enter: enterAt(at, image.workdir),
    workdir: image.workdir,
  };
}

/** A later copy takes the place of an earlier one. */
function distinct(placed: readonly { readonly file: SourceFile; readonly path: string }[]): Material[] {
  const last = new Map(placed.map(({ file, path }) => [path, file]));
  return [...last].map(([path, { absolute, stats }]) => ({
    path,
    from: absolute,
    executable: (stats.mode & 0o111) !== 0,
  }));
}

/** Where the workspace is mounted. */
export const workspaceOf = ({ at, image, workdir }: Pick<Container, "at" | "image" | "workdir">): string =>
  at ?? (image === undefined ? WORKSPACE_AT : workdir);

const PATH_NOTE = "The Dockerfile adds to PATH; that is left out: commands find the programs of this machine.";

/** Told to an arm that begins above the directory of the commands, or finds packages in one of its own. */
export function whereToWork(container: Container): string {
  const { workdir, setup } = container;
  const at = workspaceOf(container);
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

const isPlain = ({ base }: Pick<Dockerfile, "base">) => PLAIN_BASES.test(base) && !/alpine/.test(base);

const isNeeded = (name: string) => !NEVER_NEEDED.test(name);

function demandPrograms({ base, debian, programs }: Dockerfile): void {
  const [, , , family = ""] = PLAIN_BASES.exec(base) ?? [];
  if (!isPlain({ base })) throw new Unusable(`needs an image: ${base}`);
  const demanded = [PROGRAM_OF[family] ?? [], programs.filter((name) => !WITH_PACKAGES.test(name))].flat();
  const program = demanded.find((name) => findProgram(name, SYSTEM_PATH) === null);
  if (program !== undefined) throw new Unusable(`needs a program that this machine lacks below /usr: ${program}`);
  const wanted = debian.filter(isNeeded);
  if (wanted.length === 0) return;
  const installed = debianPackages();
  const absent = installed === null ? wanted : wanted.filter((name) => !installed.has(name));
  if (absent.length > 0) throw new Unusable(`needs Debian packages that this machine lacks: ${absent.join(" ")}`);
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

/** Where the names of installed Debian packages stand. */
const STATUS = "/var/lib/dpkg/status";

let installed: ReadonlySet<string> | null | undefined;

/** The Debian packages of this machine, as they were when this was first asked; null on another system. */
function debianPackages(): ReadonlySet<string> | null {
  installed ??= existsSync(STATUS) ? namesIn(readFileSync(STATUS, "utf8")) : null;
  return installed;
}

function namesIn(status: string): ReadonlySet<string> {
  const entries = status.split("\n\n").filter((entry) => /^Status: .* installed$/m.test(entry));
  return new Set(entries.flatMap((entry) => /^Package: (\S+)$/m.exec(entry)?.[1] ?? []));
}

/** An image that lies in the user's directory of images. */
export interface StoredImage {
  /** Its file or directory there. */
  readonly file: string;
  readonly digest: string;
  /** What it calls itself, such as `python:3.12`. */
  readonly references: readonly string[];
  readonly working_directory: string;
}

/** The images that tasks may name. */
export class TaskImages {
  readonly #images = new Map<string, StoredImage>();

  constructor(images: readonly StoredImage[]) {
    const named = [
      ...images.map((image) => [image.file.replace(/\.tar$/, ""), image] as const),
      ...images.flatMap((image) => image.references.map((reference) => [reference, image] as const)),
    ];
    for (const [name, image] of named) if (!this.#images.has(keyOf(name))) this.#images.set(keyOf(name), image);
  }

  /** The image that the first of some names leads to, its file's name before what it calls itself. */
  find(names: readonly string[]): StoredImage | undefined {
    return names.map((name) => this.#images.get(keyOf(name))).find((image) => image !== undefined);
  }
}

/** A file cannot be called as a reference is: `/` and `:` become `_`. What every reference may leave out is left out. */
const keyOf = (name: string) =>
  name
    .replace(/^(docker\.io|index\.docker\.io)\//, "")
    .replace(/^library\//, "")
    .replace(/:latest$/, "")
    .replaceAll(/[/:@]/g, "_");

/** Where work is done in an image. @throws Unusable */
export function workIn({ file, working_directory }: StoredImage): string {
  const at = `/${working_directory.split("/").filter(Boolean).join("/")}`;
  if (at === "/") throw new Unusable(`has an image without a working directory: ${file}`);
  const fault = mountPointFault(at, "image");
  if (fault !== null) throw new Unusable(`works in a system path: ${at}, which ${fault}`);
  return at;
}

/** How a scenario names it: it is found by its digest. */
export const imageField = ({ file, digest }: StoredImage) => ({ path: file, digest: `sha256:${digest}` });
