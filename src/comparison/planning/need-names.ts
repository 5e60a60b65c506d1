import type { Sandbox } from "../../arms/sandbox/sandbox.ts";
import { providerName } from "../../domain/model-name.ts";
import type { Needs } from "../../store/shared-store.ts";

const PROVIDER = "provider:";
const SANDBOX = "sandbox:";

export const needOfProvider = (provider: string): string => PROVIDER + providerName(provider);

/** The providers among needs, or among what a worker has. */
export const providersAmong = (needs: Needs): string[] =>
  needs.flatMap((need) => (need.startsWith(PROVIDER) ? need.slice(PROVIDER.length) : []));

export const needOfSandbox = (kind: Sandbox["kind"]): string => SANDBOX + kind;

/** The need of runs with an arm that did not run here. Workers of earlier versions do not know what their logs say. */
export const IMPORTS_NEED = "imports";

/** The need that only workers with bubblewrap meet. */
export const SANDBOX_NEED = needOfSandbox("bubblewrap");

export const isOfSandbox = (need: string): boolean => need.startsWith(SANDBOX);
