import type { ExternalAgent } from "../../domain/external-agent.ts";
import type { Policies } from "../../domain/policies.ts";
import type { Price } from "../../domain/price-list.ts";
import type { Skill } from "../../domain/skill.ts";
import type { Entropy } from "../../runtime/clock.ts";
import type { ArmRun } from "../arm/run-arm.ts";
import type { Upstream } from "../model/upstream.ts";
import { AGENT_HOME, AGENT_INSTALL } from "../recipe/inside.ts";
import type { Install } from "../recipe/install.ts";
import type { AgentLaunch, AgentServer, AgentStart, Recipe } from "../recipe/recipe.ts";
import { makeHome } from "../sandbox/home.ts";
import { AGENT_LIMITS } from "../sandbox/limits.ts";
import type { Owner } from "../sandbox/sandbox.ts";
import { makeTempDir, removeTree } from "../sandbox/temp-dir.ts";
import { skillsAt } from "../workspace/laid-notes.ts";
import { layOver, overlaidPaths } from "../workspace/lay-over.ts";
import type { AttachedProgram, FileSource, FixtureFiles } from "../workspace/workspace.ts";
import type { LauncherCommand } from "./launcher-command.ts";
import { settingsOver } from "./settings.ts";
import { makeSocketDirectory, SOCKET_INSIDE, type SocketDirectory } from "./socket-directory.ts";

/** An agent that can be started: everything that could refuse it has been asked. */
export interface AgentProgram {
  readonly agent: ExternalAgent;
  readonly recipe: Recipe;
  /** Null for a command that needs none. */
  readonly install: Install | null;
  /** MCP servers that it starts by itself, and where each is installed. Absent: none. */
  readonly servers?: readonly (AgentServer & { readonly install: string })[];
  /** Laid into its home. */
  readonly files: FixtureFiles | null;
  readonly upstream: Upstream;
  readonly prices: ModelPrices;
  readonly launcher: LauncherCommand;
  /** Who the sandbox runs it as. */
  readonly owner: Owner | null;
  readonly entropy: Entropy;
}

/** Where one run of an agent lives, besides its workspace: its home, and the socket of its proxy. */
interface AgentPlace extends AsyncDisposable {
  readonly sockets: SocketDirectory;
  readonly token: string;
  readonly attached: AttachedProgram;
  /** The agent as it is started for what the user says next. */
  readonly goOn: (prompt: string) => Promise<AttachedProgram>;
  /** The skills in its home. */
  readonly skills: readonly Skill[];
}

/** The same in every run, so that recorded requests are too. */
const PORT = 4010;

/** Where the network may be that of this machine, both arms listen on one loopback, and others do. */
const portFor = (network: Policies["network"], entropy: Entropy) =>
  network === "none" ? PORT : 20_000 + (Number.parseInt(entropy(2), 16) % 12_000);

/** Makes the directories of a run. @throws Failure `workspace_failed` */
export async function openAgentPlace(
  program: AgentProgram,
  { prompt, policies: { network, paths }, workspace: { at } }: Pick<ArmRun, "prompt" | "policies" | "workspace">,
): Promise<AgentPlace> {
  const { agent, launcher, owner, entropy } = program;
  await using made = new AsyncDisposableStack();
  const home = made.use(makeHome(owner));
  const sockets = made.use(makeSocketDirectory(owner));
  const token = entropy(16);
  const port = portFor(network, entropy);
  const given = { base: `http://127.0.0.1:${port}`, key: token };
  const start = startOf(program, { ...given, prompt });
  const theirs = program.files ? await onDisk(program.files, made) : NO_FILES;
  await layOver(home.path, theirs, owner);
  await layOver(home.path, { dir: null, files: settingsOver(start.home, theirs) }, owner);
  const skills = await skillsAt(home.path, await overlaidPaths(theirs));
  const held = made.move();
  const attachedAs = ({ command, environment }: AgentStart): AttachedProgram => ({
    command: launcher.command({ port, socket: SOCKET_INSIDE, at, argv: command }),
    network,
    environment: { ...environment, ...agent.env },
    mounts: [...launcher.mounts, ...installsOf(program), sockets.mount],
    read_only: paths.protected,
    home: home.path,
    limits: AGENT_LIMITS,
    // Read and thrown away but for its ends.
    max_printed_bytes: Number.POSITIVE_INFINITY,
  });
  return {
    token,
    skills,
    sockets,
    attached: attachedAs(start),
    goOn: async (next) => {
      const again = startOf(program, { ...given, prompt: next, goes_on: true });
      // Its settings lie there, and it may have changed them; a long prompt is a file of its own.
      const long = Object.entries(again.home).filter(([path]) => `${AGENT_HOME}/${path}` === PROMPT_FILE);
      await layOver(home.path, { dir: null, files: Object.fromEntries(long) }, owner);
      return attachedAs(again);
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

const installsOf = ({ install, servers = [] }: AgentProgram) => [
  ...(install ? [{ from: install.path, to: AGENT_INSTALL }] : []),
  ...servers.map((server) => ({ from: server.install, to: `/opt/mcp/${server.name}` })),
];

const NO_FILES: FileSource = { dir: null, files: {} };

const startOf = (
  {
    agent,
    recipe,
    install,
    servers,
    upstream: { model, wire },
  }: Pick<AgentProgram, "agent" | "recipe" | "install" | "servers" | "upstream">,
  given: Pick<AgentLaunch, "prompt" | "base" | "key" | "goes_on">,
): AgentStart =>
  recipe.start({
    ...given,
    ...(servers && { servers }),
    ...{ model, wire, args: agent.args, entry: install?.entry ?? "", prompt_file: PROMPT_FILE },
  });

const PROMPT_FILE = `${AGENT_HOME}/task.md`;

/**
 * Reads the settings that will be laid over, before an arm is asked. Those that lie in a commit are read when it starts.
 * @throws Failure as `settingsOver`
 */
export function checkSettings(program: AgentProgram): void {
  const { files } = program;
  if (files === null || files.fill) return;
  settingsOver(startOf(program, { prompt: "", base: "", key: "" }).home, files);
}

/** Files that lie in a commit are written out first. */
async function onDisk({ fill, dir, files }: FixtureFiles, made: AsyncDisposableStack) {
  if (fill === undefined) return { dir, files };
  const written = makeTempDir();
  made.defer(() => removeTree(written));
  await fill(written);
  return { dir: written, files };
}

/** What models of an arm's provider cost, by the names that the provider has for them. */
export interface ModelPrices {
  /** `<provider>/<model>` */
  nameOf(model: string): string;
  /** Null when nobody said it. */
  of(model: string): Price | null;
  /** Replies come from a recording, and cost nothing. */
  readonly free: boolean;
}
