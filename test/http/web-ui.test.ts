import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openWebUi } from "../../src/doors/http/web-ui.ts";
import { temporaryDirectory } from "../temporary.ts";
import { aService } from "./service.ts";

const FILES = {
  "index.html": "<!doctype html><title>app</title>",
  "app.js": "run();",
  "hashed/chunk-k3v9x2ab.js": "chunk();",
  "hero-background.png": "\x89PNG",
  "hashed/hero-background.png": "\x89PNG",
  "hero-mountain.png": "\x89PNG",
  "with space.txt": "spaced",
  ".env": "SECRET=1",
  ".git/config": "[core]",
  "api/health": "not the API",
  "large.css": "body { color: red } ".repeat(200),
  "picture.png": "\x89PNG".repeat(500),
  "id:name.js": "parameter();",
};

/** A bundle in a directory that lies beside a secret. */
function aBundle() {
  const directory = temporaryDirectory();
  const path = join(directory.path, "ui");
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  writeFileSync(join(directory.path, "secret.txt"), "TOP SECRET");
  symlinkSync("../secret.txt", join(path, "linked.txt"));
  symlinkSync("..", join(path, "linked-directory"));
  Bun.spawnSync(["mkfifo", join(path, "pipe")]);
  return { path, [Symbol.dispose]: () => directory[Symbol.dispose]() };
}

const serviceOf = async (path: string) => aService({ app: { web_ui: await openWebUi(path, `${path}-staged`) } });

const PAGE = { headers: { accept: "text/html,application/xhtml+xml" } };

test("the app is at /, and at every place inside it that somebody opens", async () => {
  using bundle = aBundle();
  await using service = await serviceOf(bundle.path);
  for (const path of [
    "/",
    "/index.html",
    "/sessions",
    "/sessions/session-a.b-20260102T030405678Z",
    "/scenarios/v1.2",
  ]) {
    const response = await service.fetch(path, PAGE);
    expect({ path, status: response.status, text: await response.text() }).toEqual({
      path,
      status: 200,
      text: FILES["index.html"],
    });
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
  }
});

test("a missing file is a 404, also for a client that accepts pages", async () => {
  using bundle = aBundle();
  await using service = await serviceOf(bundle.path);
  expect((await service.fetch("/assets/gone.js", PAGE)).status).toBe(404);
  expect((await service.get("/sessions")).status).toBe(404);
});

test("nothing under /api is ever the app's", async () => {
  using bundle = aBundle();
  await using service = await serviceOf(bundle.path);
  for (const path of ["/api", "/api/", "/api/none", "/API/none", "/%61pi/none", "//api/none"]) {
    const response = await service.fetch(path, PAGE);
    expect({ path, status: response.status }).toEqual({ path, status: 404 });
    expect(((await response.json()) as { error: { code: string } }).error.code).toBe("unknown_route");
  }
  expect(await (await service.fetch("/api/health", PAGE)).json()).toMatchObject({ status: "ok" });
});

describe("caching", () => {
  test("goes by the content of a file: the same tag is a 304 without a body", async () => {
    using bundle = aBundle();
    await using service = await serviceOf(bundle.path);
    const etag = (await service.get("/app.js")).headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[\w-]{43}"$/);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const response = await service.fetch("/app.js", { headers: { "if-none-match": known } });
      expect({ status: response.status, text: await response.text() }).toEqual({ status: 304, text: "" });
    }
    expect((await service.fetch("/app.js", { headers: { "if-none-match": '"other"' } })).status).toBe(200);
  });

  test("is permanent where the name holds a hash; other files are checked at each use", async () => {
    using bundle = aBundle();
    await using service = await serviceOf(bundle.path);
    const of = async (path: string) => (await service.get(path)).headers.get("cache-control");
    expect(await of("/hashed/chunk-k3v9x2ab.js")).toBe("public, max-age=31536000, immutable");
    for (const path of ["/app.js", "/hero-background.png", "/hashed/hero-background.png", "/hero-mountain.png"])
      expect([path, await of(path)]).toEqual([path, "no-cache"]);
    expect(await of("/")).toBe("no-cache");
  });

  test("is not prevented by Vary", async () => {
    using bundle = aBundle();
    await using service = await serviceOf(bundle.path);
    expect((await service.get("/app.js")).headers.get("vary")).toBeNull();
  });
});

test("files have a type, a strict policy and no sniffing", async () => {
  using bundle = aBundle();
  await using service = await serviceOf(bundle.path);
  const { headers } = await service.get("/app.js");
  expect(headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  expect(headers.get("content-security-policy")).toStartWith("default-src 'self'");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect((await service.get("/")).headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  expect((await service.get("/")).headers.get("content-security-policy")).toContain("worker-src 'self'");
  expect(await (await service.get("/with%20space.txt")).text()).toBe("spaced");
});

test("HEAD has the headers and no body; other methods are refused", async () => {
  using bundle = aBundle();
  await using service = await serviceOf(bundle.path);
  const head = await service.fetch("/app.js", { method: "HEAD" });
  expect({ status: head.status, text: await head.text() }).toEqual({ status: 200, text: "" });
  expect((await service.fetch("/app.js", { method: "POST" })).status).toBe(404);
});

test("no spelling of a path leaves the directory, and nothing hidden, linked or special is served", async () => {
  using bundle = aBundle();
  await using service = await serviceOf(bundle.path);
  const { url } = service.listen();
  const spellings = [
    "/../secret.txt",
    "/..%2fsecret.txt",
    "/%2e%2e/secret.txt",
    "/%2e%2e%2fsecret.txt",
    "/..%5csecret.txt",
    "/..\\secret.txt",
    "/%252e%252e%252fsecret.txt",
    "/assets/..%2f..%2fsecret.txt",
    "//../secret.txt",
    "/%c0%ae%c0%ae/secret.txt",
    "/secret.txt%00.html",
    "/linked.txt",
    "/linked-directory/secret.txt",
    "/.env",
    "/%2eenv",
    "/.git/config",
    "/pipe",
    "/app.js%00",
    "/%zz",
  ];
  for (const path of spellings) {
    const text = await rawGet(new URL(url), path);
    expect({ path, status: text.split(" ", 2)[1] }).toEqual({ path, status: "404" });
    expect(text).not.toContain("TOP SECRET");
  }
});

/** As it is written: no client in between that tidies the path. */
async function rawGet({ hostname, port }: URL, path: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let text = "";
  await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      open: (socket) => void socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n\r\n`),
      data: (_, chunk) => {
        text += chunk.toString();
      },
      close: () => resolve(text),
      error: (_, error) => reject(error),
    },
  });
  return await promise;
}

test("what was read at the start is served, whatever happens to the directory later", async () => {
  using bundle = aBundle();
  await using service = await serviceOf(bundle.path);
  rmSync(join(bundle.path, "app.js"));
  symlinkSync("../secret.txt", join(bundle.path, "app.js"));
  expect(await (await service.get("/app.js")).text()).toBe(FILES["app.js"]);
});

test("text is served when the copy, a temporary file, was cleaned away", async () => {
  using bundle = aBundle();
  await using service = await serviceOf(bundle.path);
  rmSync(`${bundle.path}-staged`, { recursive: true });
  expect(await (await service.get("/")).text()).toBe(FILES["index.html"]);
  expect(await (await service.get("/app.js")).text()).toBe(FILES["app.js"]);
  const response = await service.fetch("/large.css", { headers: { "accept-encoding": "gzip" } });
  expect(new TextDecoder().decode(Bun.gunzipSync(await response.bytes()))).toBe(FILES["large.css"]);
});

describe("a large file of text", () => {
  test.each(["gzip", "zstd"])("leaves as %s for a client that takes it, with a tag of its own", async (coding) => {
    using bundle = aBundle();
    await using service = await serviceOf(bundle.path);
    const { url } = service.listen();
    const response = await fetch(`${url}/large.css`, { headers: { "accept-encoding": coding } });
    expect(response.headers.get("content-encoding")).toBe(coding);
    expect(response.headers.get("content-type")).toBe("text/css; charset=utf-8");
    expect(response.headers.get("vary")).toBe("accept-encoding");
    const etag = response.headers.get("etag") ?? "";
    expect(etag).toStartWith('W/"');
    expect(await response.text()).toBe(FILES["large.css"]);
    const again = await fetch(`${url}/large.css`, { headers: { "accept-encoding": coding, "if-none-match": etag } });
    expect(again.status).toBe(304);
  });

  test("leaves as it is for another client", async () => {
    using bundle = aBundle();
    await using service = await serviceOf(bundle.path);
    const response = await service.get("/large.css");
    expect([response.headers.get("content-encoding"), response.headers.get("vary")]).toEqual([null, "accept-encoding"]);
    expect(await response.text()).toBe(FILES["large.css"]);
  });
});

test("a picture leaves as it is, with its type, over a socket too", async () => {
  using bundle = aBundle();
  await using service = await serviceOf(bundle.path);
  const { url } = service.listen();
  const response = await fetch(`${url}/picture.png`, { headers: { "accept-encoding": "gzip, zstd" } });
  expect(response.headers.get("content-type")).toBe("image/png");
  expect(response.headers.get("content-encoding")).toBeNull();
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  expect(await response.text()).toBe(FILES["picture.png"]);
});

test("a name that the router would read as a parameter is not served", async () => {
  using bundle = aBundle();
  await using service = await serviceOf(bundle.path);
  expect((await service.get("/id:name.js")).status).toBe(404);
  expect((await service.get("/idanything")).status).toBe(404);
});

test("its copy is removed at the end", async () => {
  using bundle = aBundle();
  const copy = `${bundle.path}-staged`;
  const web_ui = await openWebUi(bundle.path, copy);
  expect(existsSync(join(copy, "app.js"))).toBe(true);
  web_ui[Symbol.dispose]();
  expect(existsSync(copy)).toBe(false);
});
