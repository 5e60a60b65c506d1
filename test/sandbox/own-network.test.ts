import { expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { findOwnNetworks, resolverText } from "../../src/arms/sandbox/isolation/own-network.ts";
import { host } from "../machine.ts";
import { Directory } from "../workspace/harness.ts";

test("a command's own network closes the helper's addresses of this machine and the link-local ones", () => {
  const names = ["ip", "unshare", "setpriv", "slirp4netns"];
  using tools = new Directory(Object.fromEntries(names.map((name) => [name, "#!/bin/sh\n"])));
  for (const name of names) chmodSync(`${tools.path}/${name}`, 0o755);
  const [network] = findOwnNetworks({ ...host, path: tools.path, admin_path: tools.path });
  const script = network?.around(["true"]).join("\n") ?? "";
  const closed = [...script.matchAll(/route replace prohibit (\S+) \|\| exit 1/g)].map(([, address]) => address);
  expect(closed).toEqual(expect.arrayContaining(["10.0.2.2", "10.0.2.3", "169.254.0.0/16"]));
});

test("a command's own network uses only name servers that it can reach", () => {
  using files = new Directory({
    local:
      "search example.com\nnameserver 127.0.0.53\nnameserver 169.254.169.254\nnameserver ::1\nnameserver 10.1.2.3\n",
    behind: "# from the network\nnameserver 10.1.2.3\nnameserver 10.9.9.9\noptions edns0\n",
  });
  const paths = ["absent", "local", "behind"].map((name) => `${files.path}/${name}`);
  expect(resolverText(new Set(["10.1.2.3"]), paths)).toBe("# from the network\noptions edns0\n\nnameserver 10.9.9.9\n");
  expect(resolverText(new Set(), paths)).toBe("search example.com\n\nnameserver 10.1.2.3\n");
  expect(resolverText(new Set(["10.1.2.3", "10.9.9.9"]), paths)).toBe("");
});
