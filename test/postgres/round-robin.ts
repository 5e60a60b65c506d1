/** Gives requests to the servers in turn, as a plain reverse proxy does: one that cannot be reached is left out. */
export function roundRobin(urls: readonly string[]): { readonly url: string } & AsyncDisposable {
  let turn = 0;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch({ method, url, headers, body }) {
      const { pathname, search } = new URL(url);
      const content = body === null ? null : await new Response(body).bytes();
      for (let tried = 0; tried < urls.length; tried += 1) {
        turn += 1;
        try {
          const target = `${urls[turn % urls.length]}${pathname}${search}`;
          return await fetch(target, { method, headers, body: content, decompress: false });
        } catch (error) {
          // What begins something may have begun it.
          if (method !== "GET" && (error as { code?: string }).code !== "ConnectionRefused") break;
        }
      }
      return new Response(null, { status: 502 });
    },
  });
  return { url: server.url.origin, [Symbol.asyncDispose]: () => server.stop(true) };
}
