import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Credentials } from "../../src/arms/model/credentials.ts";

const KEY = "canary+key/7f3a9b2c=d1";

describe("endpoints", () => {
  test("a database's password is redacted, in whatever part of its address it stands", () => {
    const redact = (url: string, text: string) => new Credentials({ ABEVAL_DATABASE_URL: url }).redact(text);
    expect(redact("postgres://me:p%40ss-word-1@h/d", "p@ss-word-1 p%40ss-word-1")).not.toContain("ss-word-1");
    expect(redact("postgres://me@h/d?password=p%40ss-word-2", "p@ss-word-2 p%40ss-word-2")).not.toContain("ss-word-2");
  });

  test("a known provider has its address and its variables", () => {
    const { key, ...endpoint } = new Credentials({ GROQ_API_KEY: KEY }).endpoint("groq") ?? {};
    expect(key?.reveal()).toBe(KEY);
    expect(endpoint).toEqual({
      provider: "groq",
      dialect: "openai",
      base_url: "https://api.groq.com/openai/v1",
      base_url_overridden: false,
      key_required: true,
      key_variable: "GROQ_API_KEY",
      base_url_variable: "GROQ_BASE_URL",
      extra: { headers: new Map(), problem: null },
      headers_variable: "GROQ_HEADERS",
    });
  });

  test("a variable overrides the address of a known provider, whose key is then optional", () => {
    const credentials = new Credentials({ ANTHROPIC_BASE_URL: "https://gateway.example/anthropic" });
    expect(credentials.endpoint("anthropic")).toMatchObject({
      dialect: "anthropic",
      base_url: "https://gateway.example/anthropic",
      base_url_overridden: true,
      key: null,
      key_required: false,
    });
  });

  test("any other name is a provider when its address is set; dashes and dots become underscores", () => {
    const credentials = new Credentials({ MY_GATEWAY_V2_BASE_URL: "http://gw/v1", MY_GATEWAY_V2_API_KEY: KEY });
    const endpoint = credentials.endpoint("my-gateway.v2");
    expect(endpoint).toMatchObject({
      dialect: "openai",
      base_url: "http://gw/v1",
      key_variable: "MY_GATEWAY_V2_API_KEY",
    });
    expect(endpoint?.key?.reveal()).toBe(KEY);
    expect(credentials.endpoint("another")).toBeNull();
  });

  test("an empty variable counts as absent, and blanks around a value do not belong to it", () => {
    const credentials = new Credentials({ OPENAI_API_KEY: "", XAI_API_KEY: ` ${KEY}\n`, NOWHERE_BASE_URL: " " });
    expect(credentials.endpoint("openai")?.key).toBeNull();
    expect(credentials.endpoint("xai")?.key?.reveal()).toBe(KEY);
    expect(credentials.endpoint("nowhere")).toBeNull();
  });

  test.each(["authorization: Bearer x", '{"X-Api-Key": "x"}'])("a key among the headers is a key: %s", (headers) => {
    expect(new Credentials({ ANTHROPIC_HEADERS: headers }).endpoint("anthropic")).toMatchObject({
      key_required: false,
    });
  });

  test("ollama needs no key", () => {
    expect(new Credentials({}).endpoint("ollama")).toMatchObject({
      key_required: false,
      base_url: "http://127.0.0.1:11434/v1",
    });
  });

  test("the list holds the known providers and those with an address", () => {
    const providers = new Credentials({ HOUSE_BASE_URL: "http://h/v1" }).endpoints().map(({ provider }) => provider);
    expect(providers).toEqual([
      "anthropic",
      "openai",
      "openrouter",
      "groq",
      "mistral",
      "deepseek",
      "xai",
      "google",
      "ollama",
      "house",
    ]);
  });
});

describe("secrets", () => {
  test("the variables that hold one are named, so that they can be removed from the environment", () => {
    const names = new Credentials({
      OPENAI_API_KEY: KEY,
      HOUSE_API_KEY: KEY,
      HOUSE_BASE_URL: "http://user:hidden-password@h/v1",
      GROQ_BASE_URL: "http://plain/v1",
      ANTHROPIC_CUSTOM_HEADERS: "authorization: Bearer abc",
      HOUSE_HEADERS: "x-route: team-a",
      MISTRAL_API_KEY: "",
      PATH: "/bin",
    }).secretNames;
    expect(names).toEqual([
      "ANTHROPIC_CUSTOM_HEADERS",
      "HOUSE_API_KEY",
      "HOUSE_BASE_URL",
      "HOUSE_HEADERS",
      "OPENAI_API_KEY",
    ]);
  });

  test("no way of printing credentials shows one", () => {
    const credentials = new Credentials({ OPENAI_API_KEY: KEY, HOUSE_BASE_URL: "http://user:hidden-password@h/v1" });
    const key = credentials.endpoint("openai")?.key;
    const printed = [
      Bun.inspect(credentials),
      JSON.stringify(credentials),
      Bun.inspect(key),
      JSON.stringify({ key }),
      `${key}`,
      `${[key]}`,
    ];
    expect(printed.filter((text) => text.includes(KEY) || text.includes("hidden-password"))).toEqual([]);
    expect(printed.slice(2)).toEqual(["[secret]", '{"key":"[secret]"}', "[secret]", "[secret]"]);
  });

  const FORMS: readonly (readonly [string, (secret: string) => string])[] = [
    ["raw", (secret) => secret],
    ["JSON", (secret) => JSON.stringify(secret).slice(1, -1)],
    ["URL", encodeURIComponent],
    ["hex", (secret) => Buffer.from(secret).toString("hex")],
    ["upper hex", (secret) => Buffer.from(secret).toString("hex").toUpperCase()],
  ];

  test.each(FORMS)("a secret goes from any text around it in its %s form", (_, form) => {
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 8, maxLength: 60 }), fc.string(), (before, secret, after) => {
        const value = `k${secret.trim()}0123456789`;
        const { redact } = redactor(value);
        expect(redact(before + form(value) + after)).not.toContain(form(value));
      }),
    );
  });

  test.each(["base64", "base64url"] as const)(
    "a secret inside a longer %s text leaves no readable part",
    (encoding) => {
      fc.assert(
        fc.property(fc.string({ maxLength: 9 }), fc.string({ maxLength: 9 }), (before, after) => {
          const clean = redactor(KEY).redact(Buffer.from(before + KEY + after).toString(encoding));
          expect(clean).toContain("[redacted]");
          const rest = clean.split("[redacted]").map((part) => Buffer.from(part, encoding).toString());
          expect(rest.some((part) => part.includes(KEY.slice(2, -2)))).toBe(false);
        }),
      );
    },
  );

  test("text without a secret stays as it is", () => {
    const text = "The key is in OPENAI_API_KEY; sk-some-css-class-name and Bearer tokens are words.";
    expect(redactor(KEY).redact(text)).toBe(text);
  });

  test("what looks like a key goes too, whoever's it is", () => {
    const text = `sk-ant-api03-AbCdEfGh1234567890 / Authorization: Bearer abcDEF123.456-789_x / Basic dXNlcjpwYXNzd29yZDE=`;
    expect(redactor(KEY).redact(text)).toBe("[redacted] / Authorization: Bearer [redacted] / Basic [redacted]");
  });

  test.each([
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "github_pat_11ABCDEFG0123456789abc_0123456789abcdefABCDEF0123456789abcdefABCDEF0123456789abcdeABC",
    "AKIAIOSFODNN7EXAMPLE",
    "xoxb-123456789012-abcdefABCDEF",
    "AIzaSyA-1234567890abcdefghijklmnopqrstu",
  ])("a key of another service goes, too: %s", (key) => {
    expect(redactor(KEY).redact(`token=${key}, again ${key}.`)).toBe("token=[redacted], again [redacted].");
  });

  test("words that begin as such keys stay", () => {
    const text = "ghp_token, github_pat_name, AKIA, AKIAIOSFODNN7EXAMPLES1, xoxb-some-word-of-many";
    expect(redactor(KEY).redact(text)).toBe(text);
  });

  test("what a model writes loses only the loaded secrets", () => {
    const credentials = new Credentials({ OPENAI_API_KEY: KEY });
    expect(credentials.redactSecrets(`sk-ant-api03-AbCdEfGh1234567890 ${KEY}`)).toBe(
      "sk-ant-api03-AbCdEfGh1234567890 [redacted]",
    );
  });

  test("a header's value is a secret whole and without its scheme, whoever's header it is", () => {
    const HOUSE_HEADERS = JSON.stringify({ Authorization: `Custom ${KEY}`, "x-route": "team-a-01234" });
    const { redactSecrets } = new Credentials({ HOUSE_HEADERS });
    expect(redactSecrets(`${HOUSE_HEADERS}; Custom ${KEY}; ${KEY}; team-a-01234; team-b`)).toBe(
      "[redacted]; [redacted]; [redacted]; [redacted]; team-b",
    );
  });

  test("the name of a provider, which gateways are told, stays a word", () => {
    const { redactSecrets } = new Credentials({ HOUSE_HEADERS: "x-provider: anthropic" });
    expect(redactSecrets("anthropic answered 529")).toBe("anthropic answered 529");
  });

  test("a value too short to be a secret is not searched for", () => {
    expect(new Credentials({ OLLAMA_API_KEY: "ollama" }).redactSecrets("ollama runs here")).toBe("ollama runs here");
  });
});

function redactor(key: string): Pick<Credentials, "redact"> {
  const credentials = new Credentials({ HOUSE_API_KEY: key });
  return { redact: (text) => credentials.redact(text) };
}
