import { expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { findOwnNetworks } from "../../src/workspace/sandbox/own-network.ts";
import { host } from "../machine.ts";
import { Directory } from "./harness.ts";

test("a network of one's own closes the helper's addresses of this machine and the link-local ones", () => {
  const names = ["ip", "unshare", "setpriv", "slirp4netns"];
  using tools = new Directory(Object.fromEntries(names.map((name) => [name, "#!/bin/sh\n"])));
  for (const name of names) chmodSync(`${tools.path}/${name}`, 0o755);
  const [network] = findOwnNetworks({ ...host, path: tools.path, admin_path: tools.path });
  const script = network?.around(["true"]).join("\n") ?? "";
  const closed = [...script.matchAll(/route replace prohibit (\S+) \|\| exit 1/g)].map(([, address]) => address);
  expect(closed).toEqual(expect.arrayContaining(["10.0.2.2", "10.0.2.3", "169.254.0.0/16"]));
});
