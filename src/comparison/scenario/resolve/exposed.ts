import { realpath } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { SCENARIO_FILE_BYTES } from "../../../domain/defaults.ts";
import { literalGlob } from "../../../domain/path-glob.ts";
import type { Scenario } from "../../../domain/scenario.ts";
import type { FileSet } from "../../../domain/task.ts";
import type { ScenarioFile } from "../authored/scenario-file.ts";
import { isBelow } from "../confined-path.ts";
import { textOfBlob } from "../git/git-files.ts";
import { listTree } from "../git/tree.ts";
import type { Exposed } from "../loaded-scenario.ts";
import { listMaterial } from "../materials.ts";
import { readText } from "../read-text.ts";
import type { Repository } from "../repository.ts";
import { Unusable } from "../unusable.ts";
import { type ResolveContext, readOnce, repositoryOf } from "./context.ts";
import { type ArmFileSet, fileSetKey, findSigns } from "./find-signs.ts";

/** Something of the scenario that no arm may see. */
interface Hidden {
  /** Null: files of a directory, each told by its path there. */
  readonly what: string | null;
  /** Absolute. */
  readonly at: string;
}

/** Files that an arm finds. */
interface Given extends ArmFileSet {
  readonly among: string;
}

/** What a scenario file says, and what became of it. */
interface Resolved {
  /** The file's own name. */
  readonly name: string;
  readonly file: ScenarioFile;
  readonly definition: Scenario;
}

/**
 * Where arms would find what they are tested with, as far as places tell it: the scenario's own files among those that arms
 * are given, or another scenario in its place.
 */
export async function findExposed(
  context: ResolveContext,
  resolved: Resolved,
  agents_dir: string | undefined,
): Promise<readonly Exposed[]> {
  const home = await realpath(context.root).catch(() => context.root);
  const hidden = await hiddenOf(home, resolved);
  const found: Exposed[] = [];
  for (const given of [...givenOf(context, home, resolved), ...installsOf(resolved.definition, agents_dir)]) {
    const search = { given, home, hidden, fixture: resolved.file.task.fixture };
    const isNear = given.top === home || isBelow(given.top, home) || isBelow(home, given.top);
    const placed = isNear ? await exposedAmong(context, search) : null;
    if (placed !== null) found.push(placed);
    const told = placed ? [] : await findSigns(context, given, resolved.definition);
    if (told.length === 0) continue;
    const lines = told.map(({ path, what }) => `${what} can be read in ${path}`);
    const paths = told.map(({ path }) => path);
    found.push({ among: given.among, found: lines, mend: mendOf(search, paths) });
  }
  return found;
}

/** Directories of programs that an arm's agent and servers can read. */
function installsOf({ arms }: Scenario, agents_dir: string | undefined): Given[] {
  if (agents_dir === undefined) return [];
  return arms
    .flatMap(({ mcp = [], agent }, index) => [
      ...mcp.map(({ name, install }) => ({ among: `arms[${index}].mcp ${name}`, install })),
      ...(agent?.install ? [{ among: `arms[${index}].agent.install`, install: agent.install }] : []),
    ])
    .map(({ among, install }) => ({ among, top: resolve(agents_dir, install), tree: undefined }));
}

async function hiddenOf(home: string, { name, file }: Resolved): Promise<Hidden[]> {
  const { probe, reference_fix: fix, reference_answer: answer } = file.task;
  const named: (readonly [what: string | null, path: unknown])[] = [
    ["the scenario file", name],
    [null, probe?.dir],
    ["the reference fix", fix?.patch ?? fix?.dir],
    ["the reference answer", typeof answer === "object" ? answer.file : null],
    ["the table of inputs", file.inputs_file],
    ...file.arms.flatMap(({ ran }) =>
      [ran?.log, ran?.change, ran?.answer].map((path) => ["a run that was made elsewhere", path] as const),
    ),
  ];
  const hidden: Hidden[] = [];
  for (const [what, path] of named) {
    if (typeof path !== "string") continue;
    const own = resolve(home, path);
    const real = await realpath(own).catch(() => own);
    // Both a link and what it leads to may be among the files.
    hidden.push(...[...new Set([own, real])].map((at) => ({ what, at })));
  }
  return hidden;
}

const FIXTURE = "task.fixture";

/** Every set of files that an arm finds, except texts that stand in the scenario. */
function givenOf(context: ResolveContext, home: string, { file, definition: { task, arms } }: Resolved): Given[] {
  const beside = Object.entries(task.fixture?.also ?? {}).flatMap(([place, what]) =>
    "private" in what ? [] : { among: `${FIXTURE}.also ${place}`, set: what, authored: place },
  );
  const own = file.arms.flatMap(({ files, agent }, index) => [
    { among: `arms[${index}].files`, set: arms[index]?.files, authored: files },
    {
      among: `arms[${index}].agent.files`,
      set: arms[index]?.agent?.files,
      authored: typeof agent === "object" ? agent?.files : undefined,
    },
  ]);
  const topOf = ({ dir, git }: FileSet, authored: string | { readonly path?: unknown }) => {
    const path = typeof authored === "object" && typeof authored.path === "string" ? authored.path : ".";
    if (git) return resolve(repositoryOf(context).root, path);
    return dir === null ? null : resolve(home, dir);
  };
  const all = [{ among: FIXTURE, set: task.fixture, authored: file.task.fixture }, ...beside, ...own];
  // What an arm inherits is looked at where it is written.
  return all.flatMap(({ among, set, authored }) => {
    const top = set && authored && topOf(set, authored);
    return top ? [{ among, top, tree: set.git?.tree, exclude: among === FIXTURE ? task.fixture?.exclude : [] }] : [];
  });
}

interface Search {
  readonly given: Given;
  readonly home: string;
  readonly hidden: readonly Hidden[];
  readonly fixture: ScenarioFile["task"]["fixture"];
}

/** Lines that are kept. */
const SHOWN = 20;

/** Null where nothing is exposed. */
async function exposedAmong(context: ResolveContext, search: Search): Promise<Exposed | null> {
  const { given, hidden } = search;
  const places = placesIn(search);
  const { paths, other } = await readOnce(context, "listed", fileSetKey(given) + places.join("\0"), async () => {
    const { text, ...listed } = await listGiven(context, given, places);
    // A commit from before the scenario may have others in its place.
    return { ...listed, other: await scenarioAmong(listed.paths, pathBelow(given.top, search.home) || ".", text) };
  });
  const found = hidden.flatMap(({ what, at }) =>
    below(paths, given.top, at).map((path) => ({
      of: at,
      line: `${what ?? pathBelow(at, join(given.top, path))} can be read in ${path}`,
    })),
  );
  if (found.length === 0) {
    if (other === undefined) return null;
    found.push({ of: join(given.top, other), line: `another scenario can be read in ${other}` });
  }
  const lines = found.map(({ line }) => line);
  const shown = lines.length > SHOWN ? [...lines.slice(0, SHOWN), `and ${lines.length - SHOWN} more`] : lines;
  const alone = [...new Set(found.map(({ of }) => pathBelow(given.top, of)))];
  const mend =
    places.length === 0 ? mendOf(search, alone) : mendOf(search, places, found.length < paths.length && alone);
  return { among: given.among, found: shown, mend };
}

/** The paths below a top at which something is, or that lie in it. */
function below(paths: readonly string[], top: string, at: string): readonly string[] {
  if (at === top || isBelow(at, top)) return paths;
  if (!isBelow(top, at)) return [];
  const own = pathBelow(top, at);
  return paths.filter((path) => path === own || path.startsWith(`${own}/`));
}

/** Where to look, as paths below the top: around the scenario, and where its links lead. None: everywhere. */
function placesIn({ given: { top }, home, hidden }: Search): readonly string[] {
  if (!isBelow(top, home)) return [];
  const elsewhere = hidden.filter(({ at }) => isBelow(top, at) && !isBelow(home, at));
  return [home, ...elsewhere.map(({ at }) => at)].map((at) => pathBelow(top, at));
}

const pathBelow = (top: string, path: string) => relative(top, path).replaceAll(sep, "/");

/** The files of a set, at some places in a commit. */
async function listGiven(context: ResolveContext, { top, tree, exclude }: Given, below: readonly string[]) {
  if (tree === undefined) {
    const paths = (await listMaterial(top, exclude)).map(({ path }) => path);
    return { paths, text: (path: string) => readText(join(top, path), SCENARIO_FILE_BYTES) };
  }
  return await listCommit(repositoryOf(context), tree, { exclude, below });
}

/** Whether a scenario is written at the top of a directory of a tree. @throws Unusable */
export async function hasScenario(repository: Repository, tree: string, directory: string): Promise<boolean> {
  const { paths, text } = await listCommit(repository, tree, { below: [directory] });
  return (await scenarioAmong(paths, directory, text)) !== undefined;
}

/** The paths of a part of a tree, and how to read one of them. */
async function listCommit(repository: Repository, tree: string, part: Parameters<typeof listTree>[2]) {
  const files = new Map((await listTree(repository.git_dir, tree, part)).map((file) => [file.path, file]));
  const text = async (path: string) => {
    const file = files.get(path);
    return file ? await textOfBlob(repository, file, SCENARIO_FILE_BYTES) : "";
  };
  return { paths: [...files.keys()], text };
}

/** The first of some paths in a directory at which a scenario is written. */
async function scenarioAmong(
  paths: readonly string[],
  directory: string,
  text: (path: string) => Promise<string>,
): Promise<string | undefined> {
  for (const path of paths) {
    if (!/\.ya?ml$/.test(path) || dirname(path) !== directory) continue;
    const written = await text(path).catch(Unusable.or(""));
    if (["task", "arms", "rubric"].every((part) => written.includes(part))) return path;
  }
  return undefined;
}

/**
 * What to write, so that nothing is exposed.
 * @param alone what is exposed, where the paths hold more
 */
function mendOf(
  { given, fixture }: Search,
  paths: readonly string[],
  alone: readonly string[] | false = false,
): string {
  const isOutside = paths.some((path) => path === "" || path.startsWith(".."));
  if (given.among !== FIXTURE || isOutside) return `name files without them in ${given.among}`;
  const lineOf = (left: readonly string[]) => {
    const line = `exclude: [${[...(given.exclude ?? []), ...left.map(literalGlob)].map((glob) => JSON.stringify(glob)).join(", ")}]`;
    return typeof fixture === "string" ? `fixture: {dir: ${JSON.stringify(fixture)}, ${line}}` : line;
  };
  const where = typeof fixture === "string" ? "in task" : `in ${FIXTURE}`;
  const others = alone === false ? "" : `\nor, if arms need other files of ${paths.join(", ")}: ${lineOf(alone)}`;
  return `write ${where}: ${lineOf(paths)}${others}`;
}
