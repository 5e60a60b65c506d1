import type { Check } from "../check.ts";
import type { Services } from "../services.ts";
import { credentials, defaultJudge } from "./credentials.ts";
import { databaseChecks } from "./database.ts";
import { openNetwork } from "./open-network.ts";
import { commandMemory, sandbox, shell } from "./sandbox.ts";
import { scenarioFiles, scenariosDirectory } from "./scenarios.ts";
import { listenAddress, webIndex } from "./serving.ts";
import { disk, stateDatabase, stateDirectory } from "./state.ts";
import { toolchains } from "./toolchains.ts";

const version: Check<Services> = {
  id: "version",
  title: "Version",
  run: (services) => ({ status: "pass", detail: services.version, hint: null }),
};

/** What a run of one file needs of the machine, in the order in which a newcomer would set it up. */
export const MACHINE_CHECKS: readonly Check<Services>[] = [
  version,
  shell(),
  sandbox,
  commandMemory,
  toolchains,
  credentials,
  defaultJudge,
];

/** What a server needs besides, with the place where it keeps its sessions. */
export const environmentChecks = ({ shared }: Pick<Services, "shared">): readonly Check<Services>[] => [
  version,
  shell(),
  sandbox,
  commandMemory,
  openNetwork,
  toolchains,
  scenariosDirectory,
  scenarioFiles,
  credentials,
  defaultJudge,
  ...(shared ? databaseChecks(shared) : [stateDirectory, stateDatabase]),
  disk,
  webIndex,
  listenAddress,
];
