import type { Sandbox } from "../../arms/sandbox/sandbox.ts";
import { providerName } from "../../domain/model-name.ts";
import { SERIES_PROTOCOL } from "../../domain/series-record.ts";
import { LOG_VERSION } from "../../domain/session-entry.ts";
import type { Needs } from "../../store/shared-store.ts";
import { JUDGING_PROTOCOLS } from "../judge/judge-identity.ts";

const PROVIDER = "provider:";
const SANDBOX = "sandbox:";
const PROTOCOLS = "protocols:";

/** What a worker has whose version writes and judges as this one does: others would mix what they judge, or lose what they read. */
export const NEED_OF_PROTOCOLS = PROTOCOLS + [`log/${LOG_VERSION}`, ...JUDGING_PROTOCOLS, SERIES_PROTOCOL].join("+");

/** The protocols among needs, or among what a worker has. */
export const protocolsAmong = (needs: Needs): string[] =>
  needs.flatMap((need) => (need.startsWith(PROTOCOLS) ? need.slice(PROTOCOLS.length) : []));

export const isOfProtocols = (need: string): boolean => need.startsWith(PROTOCOLS);

export const needOfProvider = (provider: string): string => PROVIDER + providerName(provider);

/** The providers among needs, or among what a worker has. */
export const providersAmong = (needs: Needs): string[] =>
  needs.flatMap((need) => (need.startsWith(PROVIDER) ? need.slice(PROVIDER.length) : []));

export const needOfSandbox = (kind: Sandbox["kind"]): string => SANDBOX + kind;

/** The need that only workers with bubblewrap meet. */
export const SANDBOX_NEED = needOfSandbox("bubblewrap");

export const isOfSandbox = (need: string): boolean => need.startsWith(SANDBOX);
