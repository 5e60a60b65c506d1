import { open, rm, stat, statfs } from "node:fs/promises";
import { isIPv4 } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { ProviderStatus } from "../../../arms/model/check-model.ts";
import { BUILTIN_JUDGE } from "../../../arms/model/model-ref.ts";
import { judgeModelName } from "../../../comparison/planning/choose-judge.ts";
import { providersAmong } from "../../../comparison/planning/needs.ts";
import { errorCode, Failure } from "../../../domain/failure.ts";
import { judgesNamed } from "../../../domain/model-name.ts";
import { counted } from "../../../domain/number-text.ts";
import { readBuild } from "../build.ts";
import { after, type Check, check, fail, orRefusal, pass, skip, warn } from "../check.ts";
import { plannedWith, type Services } from "../services.ts";
import { databaseChecks } from "./database.ts";
import { openNetwork, sandboxChecks, toolchains } from "./sandbox.ts";

/** Looks only whether keys are there. Asking a provider whether a key is good could cost money. */
const credentials = check("credentials", "Provider credentials", ({ providers, workers = [] }: Services) => {
  const known = providers();
  const [present, absent] = [known.filter((it) => it.present), known.filter((it) => !it.present)];
  const detail = [
    present.length > 0 ? `present: ${present.map(inWords).join(", ")}` : "",
    absent.length > 0 ? `absent: ${absent.map(({ provider }) => provider).join(", ")}` : "",
  ]
    .filter((part) => part !== "")
    .join("; ");
  const problems = known.flatMap(({ headers_problem }) => headers_problem ?? []);
  if (problems.length > 0) return warn([detail, ...problems].join("; "), HEADERS_HINT);
  if (present.some(({ local }) => !local)) return pass(detail);
  const locals = known.filter(({ local }) => local).map(({ provider }) => provider);
  const ofWorkers = new Set(workers.flatMap(({ capabilities }) => providersAmong(capabilities))).difference(
    new Set(locals),
  );
  return ofWorkers.size > 0
    ? pass(`${detail}; workers have ${[...ofWorkers].sort().join(", ")}, and runs go to them`)
    : warn(detail, NONE_HINT);
});

const NONE_HINT =
  "only scripted scenarios can run; to run a model, set its provider's key, for example ANTHROPIC_API_KEY";

const HEADERS_HINT =
  'correct the variable: it must be a JSON object such as {"x-route": "team-a"}, or a line of `x-route: team-a` for each header';

function inWords({ provider, base_url_overridden, local, header_names }: ProviderStatus): string {
  const notes = [
    ...(base_url_overridden ? ["own address"] : local ? ["needs no key"] : []),
    ...(header_names.length > 0 ? [`headers ${header_names.join(" ")}`] : []),
  ];
  return notes.length > 0 ? `${provider} (${notes.join(", ")})` : provider;
}

/** The judge of a scenario that names none. */
const defaultJudge = check("credentials.judge", "Default judge", async (services: Services) => {
  const judge = judgeModelName(services, undefined, null);
  if (judge === BUILTIN_JUDGE) return pass(`${judge}, which asks no model`);
  const { resolveModel } = plannedWith(services);
  const refusal = await orRefusal(() => void judgesNamed(judge).map((one) => resolveModel(one, null)));
  return refusal ? warn(refusal.message, `or judge without a model: ABEVAL_JUDGE_MODEL=${BUILTIN_JUDGE}`) : pass(judge);
});

const credentialChecks: readonly Check<Services>[] = [credentials, defaultJudge];

const version = check("version", "Version", async () => {
  const { version: number, commit, schema, log } = await readBuild();
  const tables = schema ? [`schema sqlite ${schema.sqlite}, postgres ${schema.postgres}`] : [];
  return pass([number, ...(commit ? [`commit ${commit}`] : []), ...tables, `log ${log}`].join("; "));
});

/** What a run of one file needs of the machine, in the order in which a newcomer would set it up. */
export const MACHINE_CHECKS: readonly Check<Services>[] = [version, ...sandboxChecks, toolchains, ...credentialChecks];

/** What a server needs besides, with the place where it keeps its sessions. */
export const environmentChecks = ({ shared }: Pick<Services, "shared">): readonly Check<Services>[] => [
  version,
  ...sandboxChecks,
  openNetwork,
  toolchains,
  scenariosDirectory,
  scenarioFiles,
  ...credentialChecks,
  ...(shared ? databaseChecks(shared) : [stateDirectory, stateDatabase]),
  disk,
  webIndex,
  listenAddress,
];

const scenariosDirectory = check("scenarios.directory", "Scenarios directory", async ({ catalog }: Services) => {
  const listed = await orRefusal(() => catalog.list());
  if (listed instanceof Failure)
    return fail(listed.message, "create it, or name another directory with --scenarios-dir");
  if (listed.length > 0) return pass(counted(listed.length, "scenario"));
  return warn("it holds no scenario file", "add one, or name another directory with --scenarios-dir");
});

/** Broken files are listed with the others and do not affect them. */
const scenarioFiles = after("scenarios.directory")(
  "scenarios.files",
  "Scenario files",
  async ({ catalog }: Services) => {
    const errors = (await catalog.list()).flatMap(({ error }) => error ?? []);
    return errors.length === 0
      ? pass("all can be read")
      : warn(errors.join("\n"), "fix these files; the other scenarios can run");
  },
);

const webIndex = check("web.index", "Web UI", async ({ web_dir }: Services) => {
  if (web_dir === undefined) return skip("no --web-dir: only the API is served");
  const index = await stat(join(web_dir, "index.html")).catch(() => null);
  return index?.isFile() === true
    ? pass("index.html was found")
    : warn("the web directory has no index.html", "name the directory of the built UI with --web-dir");
});

const listenAddress = check("listen", "Listen address", ({ listen_host, allowed }: Services) => {
  if (listen_host === undefined) return skip("this process serves no HTTP");
  if (isLoopback(listen_host)) return pass(`${listen_host}: this machine only`);
  const pages = allowed && [...unguarded(allowed)].join(" and ");
  const detail = `${listen_host}: anyone who can reach it can start runs, which cost money, without a login`;
  return pages
    ? warn(`${detail}; without ${pages} any page in a browser that reaches it can start runs too`, OPEN_HINT)
    : warn(detail, OPEN_HINT);
});

function* unguarded({ hosts, origins }: NonNullable<Services["allowed"]>) {
  if (hosts.length === 0) yield "--allowed-host";
  if (origins.length === 0) yield "--allowed-origin";
}

const OPEN_HINT = "listen on 127.0.0.1, or put a reverse proxy with authentication in front";

function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  return bare === "localhost" || bare === "::1" || (isIPv4(bare) && bare.startsWith("127."));
}

const MEMORY = "no --state-dir: sessions are kept in memory and lost when the program ends";

const stateDirectory = check("state.directory", "State directory", async ({ state_dir, entropy }: Services) => {
  if (state_dir === undefined) return skip(MEMORY);
  const refusal = await refusedWrite(join(state_dir, `.doctor-${entropy(8)}`));
  if (refusal !== null) return fail(`no file can be written in it (${refusal})`, STATE_HINT);
  const type = NETWORK_FILE_SYSTEMS.get((await statfs(state_dir)).type);
  return type === undefined
    ? pass(`${basename(state_dir)}: writable`)
    : warn(`${basename(state_dir)}: on ${type}, where processes cannot share the database's log`, "use a local disk");
});

const STATE_HINT = "give this user a writable directory with --state-dir, on a disk with free space";

/** Writes and syncs some bytes: on a full disk an empty file can still be made. */
async function refusedWrite(path: string): Promise<string | null> {
  try {
    await using file = await open(path, "wx", 0o600);
    await file.writeFile("doctor was here\n");
    await file.sync();
    return null;
  } catch (error) {
    return errorCode(error) ?? String(error);
  } finally {
    await rm(path, { force: true }).catch(() => undefined);
  }
}

/** By the magic number that statfs gives (linux/magic.h). */
const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, "nfs"],
  [0xff534d42, "cifs"],
  [0xfe534d42, "smb"],
  [0x01021997, "9p"],
]);

/** Looks whether the database opens. Its version was checked, and brought up to date, at the start. */
const stateDatabase = after("state.directory")(
  "state.database",
  "Session database",
  async ({ state_dir = "", store }: Services) => {
    const isThere = await stat(join(state_dir, "sessions.db")).then(
      (stats) => stats.isFile(),
      () => false,
    );
    if (!isThere) return fail("sessions.db is gone; whatever is stored now will be lost", "start the program again");
    const listed = await orRefusal(() => store.list({ limit: 1 }));
    // Reports go out over the network: the host's directories are named by their last step.
    if (listed instanceof Failure) return fail(listed.message.replaceAll(state_dir, basename(state_dir)), STATE_HINT);
    return pass("opens, and its schema is current");
  },
);

/** Room for both arms and their probes with the largest fixture that is allowed (256 MB). */
const ENOUGH_BYTES = 1_024_000_000;

const disk = check("disk", "Free disk", async ({ state_dir }: Services) => {
  const places = [{ name: "temporary files", path: tmpdir() }];
  if (state_dir !== undefined) places.push({ name: "state directory", path: state_dir });
  const free = await Promise.all(places.map(async ({ name, path }) => ({ name, bytes: await freeBytes(path) })));
  const detail = free.map(({ name, bytes }) => `${name}: ${(bytes / 1e9).toFixed(1)} GB`).join(", ");
  return free.every(({ bytes }) => bytes >= ENOUGH_BYTES)
    ? pass(detail)
    : warn(detail, `free some space: ${ENOUGH_BYTES / 1e9} GB are enough for every run, small runs need less`);
});

/** Bytes that this user may use; what is reserved for root does not count. */
async function freeBytes(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}
