import { providerName } from "../../domain/model-name.ts";
import { type ExtraHeaders, readExtraHeaders } from "./provider/extra-headers.ts";
import { type Redact, redactKeyShapes, Secret, secretRedactor } from "./redaction.ts";

/** How a provider is reached. */
export interface Endpoint {
  readonly provider: string;
  /** The wire format it speaks. */
  readonly dialect: "anthropic" | "openai";
  readonly base_url: string;
  /** The address comes from the environment, not from our table. */
  readonly base_url_overridden: boolean;
  readonly key: Secret | null;
  /** False where a call without a key can succeed: a local server, a gateway. */
  readonly key_required: boolean;
  readonly key_variable: string;
  readonly base_url_variable: string;
  /** Sent with every call, for a gateway that routes by them. They replace ours, `authorization` included. */
  readonly extra: ExtraHeaders;
  readonly headers_variable: string;
}

/** Providers whose address is known. All but `anthropic` speak OpenAI's chat completions. */
const KNOWN_BASE_URLS: Readonly<Record<string, string>> = {
  anthropic: "https://api.anthropic.com",
  openai: "https://api.openai.com/v1",
  openrouter: "https://openrouter.ai/api/v1",
  groq: "https://api.groq.com/openai/v1",
  mistral: "https://api.mistral.ai/v1",
  deepseek: "https://api.deepseek.com/v1",
  xai: "https://api.x.ai/v1",
  google: "https://generativelanguage.googleapis.com/v1beta/openai",
  ollama: "http://127.0.0.1:11434/v1",
};

/** Servers of one's own machine. */
export const KEYLESS_PROVIDERS: readonly string[] = ["ollama"];

/** Variables that the SDKs, or a database's driver, would read by themselves. They hold secrets too, to be redacted and removed. */
const SDK_SECRET_VARIABLES: readonly string[] = [
  "ANTHROPIC_AUTH_TOKEN",
  "ANTHROPIC_CUSTOM_HEADERS",
  "ANTHROPIC_WEBHOOK_SIGNING_KEY",
  "OPENAI_ADMIN_KEY",
  "OPENAI_CUSTOM_HEADERS",
  "OPENAI_WEBHOOK_SECRET",
  "PGPASSWORD",
  // A webhook takes whatever comes from whoever knows its address.
  "ABEVAL_NOTIFY_URL",
];

/** Where sessions are kept. A URL may hold a password. */
const DATABASE_URL_VARIABLES: readonly string[] = ["ABEVAL_DATABASE_URL", "ABEVAL_DATABASE_LISTEN_URL"];

/** What is sent to the endpoints of arms. */
const ENDPOINT_PREFIX = "ABEVAL_ENDPOINT_";

const KEY_SUFFIX = "_API_KEY";
const BASE_URL_SUFFIX = "_BASE_URL";
const HEADERS_SUFFIX = "_HEADERS";

/** Headers that can hold the key. The provider then needs no key variable. */
const KEY_HEADERS: readonly string[] = ["authorization", "x-api-key", "api-key"];

const NO_EXTRA_HEADERS: ExtraHeaders = { headers: new Map(), problem: null };

/** Provider keys and addresses, read once from an environment record. An empty variable counts as absent. */
export class Credentials {
  readonly #keys: ReadonlyMap<string, Secret>;
  readonly #baseUrls: ReadonlyMap<string, string>;
  readonly #headers: ReadonlyMap<string, ExtraHeaders>;
  /** Variables of the given environment that hold secrets: to be removed from what child processes may see. */
  readonly secretNames: readonly string[];
  /** Removes the loaded secrets, in every written form, and nothing else. */
  readonly redactSecrets: Redact;

  constructor(environment: Readonly<Record<string, string | undefined>>) {
    const given = Object.entries(environment).flatMap(([name, value]) => {
      const trimmed = value?.trim();
      return trimmed ? [[name, trimmed] as const] : [];
    });
    this.#keys = new Map(
      given.filter(([name]) => isSecretName(name)).map(([name, value]) => [name, new Secret(value)]),
    );
    this.#baseUrls = new Map(given.filter(([name]) => name.endsWith(BASE_URL_SUFFIX)));
    this.#headers = new Map(
      given.filter(([name]) => name.endsWith(HEADERS_SUFFIX)).map(([name, value]) => [name, readExtraHeaders(value)]),
    );
    const databases = given.filter(([name]) => DATABASE_URL_VARIABLES.includes(name));
    const passwords = [...this.#baseUrls, ...databases].flatMap(([name, url]) =>
      urlPassword(url).map((secret) => ({ name, secret })),
    );
    this.secretNames = [...new Set([...this.#keys.keys(), ...passwords.map(({ name }) => name)])].sort();
    const headers = [...this.#headers.values()].flatMap((extra) => [...extra.headers.values()]);
    const sent = [...this.#keys].flatMap(([name, value]) => (name.startsWith(ENDPOINT_PREFIX) ? [value] : []));
    this.redactSecrets = secretRedactor([
      ...this.#keys.values(),
      ...passwords.map(({ secret }) => secret),
      ...[...headers, ...sent].flatMap(headerSecrets),
    ]);
  }

  /** What a header of an endpoint holds: of variables ABEVAL_ENDPOINT_… alone. Undefined where it is not set. */
  endpointHeader(variable: string): Secret | undefined {
    return variable.startsWith(ENDPOINT_PREFIX) ? this.#keys.get(variable) : undefined;
  }

  /** Removes the loaded secrets and whatever else looks like a key. For error texts and logs. */
  redact(text: string): string {
    return redactKeyShapes(this.redactSecrets(text));
  }

  /**
   * Null for a provider whose address is neither known nor configured.
   * @param wire `anthropic`: another provider's second address, which speaks Anthropic's messages
   */
  endpoint(provider: string, wire?: "anthropic"): Endpoint | null {
    const { key_variable, headers_variable, ...usual } = variablesOf(provider);
    const second = wire === "anthropic" && provider !== "anthropic";
    const base_url_variable = second ? anthropicAddressOf(provider) : usual.base_url_variable;
    const overriding = this.#baseUrls.get(base_url_variable);
    const base_url = overriding ?? (second ? undefined : KNOWN_BASE_URLS[provider]);
    if (base_url === undefined) return null;
    const extra = this.#headers.get(headers_variable) ?? NO_EXTRA_HEADERS;
    const authorised = KEY_HEADERS.some((name) => extra.headers.has(name));
    return {
      provider,
      dialect: second ? "anthropic" : dialectOf(provider),
      base_url,
      base_url_overridden: overriding !== undefined,
      key: this.#keys.get(key_variable) ?? null,
      key_required: overriding === undefined && !authorised && !KEYLESS_PROVIDERS.includes(provider),
      key_variable,
      base_url_variable,
      extra,
      headers_variable,
    };
  }

  /** The providers we know and those the environment gives an address for, in that order. */
  endpoints(): readonly Endpoint[] {
    const named = [...this.#baseUrls.keys()]
      .filter((name) => !this.#isSecondAddress(name))
      .map((name) => name.slice(0, -BASE_URL_SUFFIX.length).toLowerCase());
    // `my-gateway` and `my_gateway` share their variables. The provider is named as its variable spells it.
    const providers = new Set([...KNOWN_PROVIDERS, ...named.filter((name) => name !== "")]);
    return [...providers].flatMap((provider) => this.endpoint(provider) ?? []);
  }

  /** Of a provider that has another address, or a key. Otherwise the name is a provider's own. */
  #isSecondAddress(name: string): boolean {
    const stem = /^(.+)_ANTHROPIC_BASE_URL$/.exec(name)?.[1];
    return stem !== undefined && (this.#baseUrls.has(stem + BASE_URL_SUFFIX) || this.#keys.has(stem + KEY_SUFFIX));
  }
}

/** How a provider is spoken to where nothing is sent: by any name, without a key. */
export function endpointOfReplay(provider: string): Endpoint {
  return {
    ...{ provider, dialect: dialectOf(provider), base_url: "http://replay.invalid/v1", base_url_overridden: false },
    ...{ key: null, key_required: false, extra: NO_EXTRA_HEADERS },
    ...variablesOf(provider),
  };
}

const dialectOf = (provider: string): Endpoint["dialect"] => (provider === "anthropic" ? "anthropic" : "openai");

export const KNOWN_PROVIDERS: readonly string[] = Object.keys(KNOWN_BASE_URLS);

/** The variables of a provider: its name in upper case, with `_` for what a variable cannot hold. */
export function variablesOf(
  provider: string,
): Pick<Endpoint, "key_variable" | "base_url_variable" | "headers_variable"> {
  const stem = providerName(provider).toUpperCase();
  return {
    key_variable: stem + KEY_SUFFIX,
    base_url_variable: stem + BASE_URL_SUFFIX,
    headers_variable: stem + HEADERS_SUFFIX,
  };
}

/** The variable with a provider's second address. */
export const anthropicAddressOf = (provider: string): string =>
  `${providerName(provider).toUpperCase()}_ANTHROPIC${BASE_URL_SUFFIX}`;

function isSecretName(name: string): boolean {
  return (
    name.startsWith(ENDPOINT_PREFIX) ||
    name.endsWith(KEY_SUFFIX) ||
    name.endsWith(HEADERS_SUFFIX) ||
    SDK_SECRET_VARIABLES.includes(name)
  );
}

/** A header's value, and the token in it without its scheme. A provider's name is no secret: gateways route by it. */
function headerSecrets(value: Secret): readonly Secret[] {
  const text = value.reveal();
  if (KNOWN_PROVIDERS.includes(text)) return [];
  const token = /^\S+\s+(\S+)$/.exec(text)?.[1];
  return token === undefined ? [value] : [value, new Secret(token)];
}

/** The password in an address, as it is written and decoded; a database takes it as a parameter too. */
function urlPassword(url: string): readonly Secret[] {
  const { password = "", searchParams = new URLSearchParams() } = URL.parse(url) ?? {};
  const given = searchParams.getAll("password");
  const texts = [password, decodeLoosely(password), ...given, ...given.map(encodeURIComponent)];
  return texts.filter((text) => text !== "").map((text) => new Secret(text));
}

function decodeLoosely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
