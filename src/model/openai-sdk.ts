import { OpenAI } from "openai";
import { version } from "../version.ts";
import type { Endpoint } from "./credentials.ts";
import { SDK_RETRIES, watchedFetch } from "./provider-call.ts";

type Request = Awaited<ReturnType<OpenAI["buildRequest"]>>;

/** What the requests of one client share; their bodies, signals and options for fetch are their own. */
interface Head {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
}

/**
 * The SDK's client for the calls of one endpoint: JSON posted without headers or a query of its own. It makes the head of
 * a request once, where the SDK makes it for each try, two thirds of its own work in a call; nothing in it differs but the
 * number of the try and the timeout.
 */
export class EndpointOpenAI extends OpenAI {
  readonly #heads = new Map<string, Head>();

  /** Nothing is left for the SDK to look up in the environment. */
  constructor({ base_url, key }: Pick<Endpoint, "base_url" | "key">) {
    super({
      baseURL: base_url.replace(/\/+$/, ""),
      // The SDK demands one; a null header keeps it from the wire.
      apiKey: key?.reveal() ?? "none",
      adminAPIKey: null,
      organization: null,
      project: null,
      webhookSecret: null,
      fetch: watchedFetch,
      maxRetries: SDK_RETRIES,
      logLevel: "off",
      defaultHeaders: { "User-Agent": `abeval/${version}`, ...(key === null ? { Authorization: null } : {}) },
    });
  }

  override async buildRequest(...[options, attempt]: Parameters<OpenAI["buildRequest"]>): Promise<Request> {
    const { path, body, signal, fetchOptions, timeout = this.timeout } = options;
    // The header has whole seconds, so that the heads stay few.
    const name = `${path} ${attempt?.retryCount ?? 0} ${Math.trunc(timeout / 1000)}`;
    const head = this.#heads.get(name);
    if (head === undefined) {
      const built = await super.buildRequest(options, attempt);
      const { url, req } = built;
      this.#heads.set(name, { url, method: req.method ?? "POST", headers: req.headers });
      return built;
    }
    const { url, method, headers } = head;
    return {
      url,
      timeout,
      req: { method, headers, body: JSON.stringify(body), signal: signal ?? null, ...fetchOptions },
    };
  }
}
