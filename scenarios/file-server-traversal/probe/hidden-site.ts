import { mkdir, mkdtemp, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFileServer, type FileServer } from "./src/file-server.ts";

export const SECRET = "not for the public 5e0c";

/** One customer's folder among others, with every kind of link in it. */
export async function openSite(): Promise<{ readonly base: string; readonly server: FileServer }> {
  const base = await mkdtemp(join(tmpdir(), "probe-"));
  const root = join(base, "acme");
  await mkdir(join(root, "docs", "deep"), { recursive: true });
  await mkdir(join(base, "acme-drafts"));
  await mkdir(join(base, "zenith"));
  await writeFile(join(root, "index.html"), "home");
  await writeFile(join(root, "docs", "index.html"), "docs");
  await writeFile(join(root, "docs", "plan.txt"), "plan");
  await writeFile(join(root, "docs", "..hidden..txt"), "dots");
  await writeFile(join(base, "secret.txt"), SECRET);
  for (const other of ["acme-drafts", "zenith"]) {
    await writeFile(join(base, other, "index.html"), SECRET);
    await writeFile(join(base, other, "plan.txt"), SECRET);
  }
  await symlink("docs/plan.txt", join(root, "inside.txt"));
  await symlink("docs", join(root, "inside"));
  await symlink("../secret.txt", join(root, "outside.txt"));
  await symlink(join(base, "zenith"), join(root, "outside"));
  await symlink("../../../zenith/index.html", join(root, "docs", "deep", "index.html"));
  await symlink("nowhere", join(root, "broken.txt"));
  await symlink("acme", join(base, "current"));
  return { base, server: createFileServer(root) };
}

/** Status and body of a GET; `path` is sent as it stands. */
export async function get(server: FileServer, path: string): Promise<{ status: number; body: string }> {
  const response = await server(new Request(`http://localhost${path}`));
  return { status: response.status, body: await response.text() };
}

export const NOT_FOUND = { status: 404, body: "not found\n" };
