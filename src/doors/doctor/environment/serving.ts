import { stat } from "node:fs/promises";
import { isIPv4 } from "node:net";
import { join } from "node:path";
import { type Check, pass, skip, warn } from "../check.ts";
import type { Services } from "../services.ts";

export const webIndex: Check<Services> = {
  id: "web.index",
  title: "Web UI",
  async run({ web_dir }) {
    if (web_dir === undefined) return skip("no --web-dir: only the API is served");
    const index = await stat(join(web_dir, "index.html")).catch(() => null);
    return index?.isFile() === true
      ? pass("index.html is there")
      : warn("the web directory has no index.html", "name the directory of the built UI with --web-dir");
  },
};

export const listenAddress: Check<Services> = {
  id: "listen",
  title: "Listen address",
  run({ listen_host, allowed }) {
    if (listen_host === undefined) return skip("this process serves no HTTP");
    if (isLoopback(listen_host)) return pass(`${listen_host}: this machine only`);
    const pages = allowed && [...unguarded(allowed)].join(" and ");
    const detail = `${listen_host}: whoever reaches it can start runs, which spend money; nobody has to log in`;
    return pages
      ? warn(`${detail}; without ${pages} any page in a browser that reaches it can start runs too`, OPEN_HINT)
      : warn(detail, OPEN_HINT);
  },
};

function* unguarded({ hosts, origins }: NonNullable<Services["allowed"]>) {
  if (hosts.length === 0) yield "--allowed-host";
  if (origins.length === 0) yield "--allowed-origin";
}

const OPEN_HINT = "listen on 127.0.0.1, or put a reverse proxy with authentication in front";

function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  return bare === "localhost" || bare === "::1" || (isIPv4(bare) && bare.startsWith("127."));
}
