/** A port that nobody listens on. */
export function freePort(): number {
  using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  return Number(server.port);
}
