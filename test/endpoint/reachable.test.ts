import { describe, expect, test } from "bun:test";
import {
  type EndpointRules,
  faultOfUrl,
  parseAllowedEndpoint,
  reachEndpoint,
} from "../../src/arms/endpoint/reachable.ts";
import { OPENSSL } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { selfSigned } from "../self-signed.ts";
import { temporaryDirectory } from "../temporary.ts";

interface Given extends Partial<Omit<EndpointRules, "allowed">> {
  readonly allow?: readonly string[];
}

const rules = ({ allow = [], ...changes }: Given = {}): EndpointRules => ({
  allowed: allow.flatMap((text) => parseAllowedEndpoint(text) ?? []),
  ...{ server: false, own_ports: new Set(), own_addresses: () => [], lookup: async () => [] },
  ...changes,
});

const fault = (url: string, given?: Given) => faultOfUrl(new URL(url), rules(given)) ?? "none";

describe("a run", () => {
  test("asks this machine by any name, and others by https", () => {
    for (const url of [
      ...["http://127.0.0.1:9000/answer", "http://localhost/x", "http://[::1]:1/", "http://2130706433/"],
      ...["https://app.internal/v2", "https://10.0.0.7/", "https://[2001:db8::1]/"],
    ])
      expect([url, fault(url)]).toEqual([url, "none"]);
  });

  test("sends nothing in clear text beyond this machine, unless it is told to", () => {
    const words =
      "http sends the request in clear text to app.internal; use https, or allow it with --allow-endpoint app.internal:8080";
    expect(fault("http://app.internal:8080/x")).toBe(words);
    expect(fault("http://app.internal:8080/x", { allow: ["app.internal:8080"] })).toBe("none");
    expect(fault("http://app.internal:8080/x", { allow: ["app.internal"] })).toBe("none");
    expect(fault("http://app.internal:8080/x", { allow: ["app.internal:80"] })).toBe(words);
    expect(fault("http://10.0.0.7/x")).toContain("--allow-endpoint 10.0.0.7");
  });

  test("never asks where clouds hand out credentials, however the address is written", () => {
    for (const host of [
      ...["169.254.169.254", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "169.254.43518"],
      ...["[::ffff:169.254.169.254]", "[::ffff:a9fe:a9fe]", "[64:ff9b::169.254.169.254]", "[2002:a9fe:a9fe::]"],
      ...["[::169.254.169.254]", "[fe80::1]", "[fd00:ec2::254]", "100.100.100.200"],
    ])
      expect([host, fault(`https://${host}/`)]).toEqual([host, expect.stringContaining("link-local address")]);
    for (const host of ["metadata.google.internal", "METADATA", "instance-data", "metadata.google.internal."])
      expect([host, fault(`https://${host}/`)]).toEqual([host, expect.stringContaining("hand out credentials")]);
    expect(fault("http://169.254.7.7/", { allow: ["169.254.7.7"] })).toBe("none");
  });

  test("no address stands for several machines", () => {
    for (const host of ["0.0.0.0", "0", "[::]", "224.0.0.1", "255.255.255.255", "[ff02::1]", "[::ffff:0.0.0.0]"])
      expect([host, fault(`http://${host}/`)]).toEqual([host, expect.stringContaining("no address of one machine")]);
    expect(fault("http://0.0.0.0/", { allow: ["0.0.0.0"] })).toContain("no address of one machine");
  });
});

describe("a server", () => {
  const server = (allow: readonly string[], changes: Given = {}): Given => ({ server: true, allow, ...changes });

  test("asks only hosts that it was started with", () => {
    expect(fault("https://app.internal/", server([]))).toBe(
      "a server asks only hosts that it was started with: --allow-endpoint app.internal",
    );
    expect(fault("http://127.0.0.1:9000/", server(["127.0.0.1:9001"]))).toContain("--allow-endpoint 127.0.0.1:9000");
    expect(fault("https://app.internal/", server(["app.internal"]))).toBe("none");
    expect(fault("https://app.internal/", server(["app.internal:443"]))).toBe("none");
    expect(fault("https://2130706433/", server(["127.0.0.1"]))).toBe("none");
  });

  test("never asks a link-local address, nor itself", () => {
    expect(fault("http://169.254.169.254/", server(["169.254.169.254"]))).toContain("link-local");
    const own = server(["127.0.0.1", "10.0.0.7", "[::1]"], {
      own_ports: new Set(["8080"]),
      own_addresses: () => ["10.0.0.7"],
    });
    for (const host of ["127.0.0.1", "10.0.0.7", "[::1]"])
      expect(fault(`http://${host}:8080/`, own)).toContain("is this server itself");
    expect(fault("http://127.0.0.1:9000/", own)).toBe("none");
  });

  test("a name is looked up once, and every address of it is looked at", async () => {
    const leads = (address: string, family: 4 | 6 = 4) =>
      rules(server(["app.internal"], { lookup: async () => [{ address, family }], own_ports: new Set(["80"]) }));
    const reach = (to: EndpointRules) =>
      reachEndpoint(new URL("http://app.internal/"), to, new AbortController().signal).then(
        (found) => found.map(({ address }) => address).join(),
        ({ message }: Error) => message,
      );
    expect(await reach(leads("10.1.1.1"))).toBe("10.1.1.1");
    expect(await reach(leads("169.254.169.254"))).toContain("link-local");
    expect(await reach(leads("::ffff:a9fe:a9fe", 6))).toContain("link-local");
    expect(await reach(leads("127.0.0.1"))).toContain("is this server itself");
    expect(await reach(leads("0.0.0.0"))).toContain("no address of one machine");
    expect(await reach(rules(server(["app.internal"])))).toContain("no address is known for app.internal");
  });
});

test("what is allowed is a host, or a host with a port", () => {
  expect(parseAllowedEndpoint("App.Internal:8443")).toEqual({ host: "app.internal", port: "8443" });
  expect(parseAllowedEndpoint("[::1]:80")).toEqual({ host: "[::1]", port: "80" });
  for (const text of ["", "https://app", "app/x", "a b", "u@app", "app:x", "::1"])
    expect([text, parseAllowedEndpoint(text)]).toEqual([text, null]);
});

testNeeding(OPENSSL)("over https the address is pinned, the name is checked, and no proxy is asked", async () => {
  using directory = temporaryDirectory();
  const { key, cert } = selfSigned("app.internal", directory.path);
  const served = { port: 0, hostname: "127.0.0.1", tls: { key: Bun.file(key), cert: Bun.file(cert) } };
  const server = Bun.serve({ ...served, fetch: ({ headers }) => new Response(headers.get("host")) });
  const source = `
    const { postOnce } = await import(${JSON.stringify(`${import.meta.dir}/../../src/arms/endpoint/post.ts`)});
    for (const host of ["app.internal", "other.internal"]) {
      const pinned = [{ address: "127.0.0.1", family: 4 }];
      const post = { url: new URL("https://" + host + ":${server.port}/"), pinned, headers: {}, body: new Uint8Array() };
      await postOnce(post, AbortSignal.timeout(20_000)).then(
        ({ status, body }) => console.log(status, new TextDecoder().decode(body)),
        ({ code }) => console.log(code),
      );
    }`;
  const proxy = { HTTPS_PROXY: "http://127.0.0.1:9", https_proxy: "http://127.0.0.1:9" };
  const child = Bun.spawn(["bun", "-e", source], { env: { ...process.env, ...proxy, NODE_EXTRA_CA_CERTS: cert } });
  expect(await new Response(child.stdout).text()).toBe(
    `200 app.internal:${server.port}\nERR_TLS_CERT_ALTNAME_INVALID\n`,
  );
  await server.stop(true);
});
