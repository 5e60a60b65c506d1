import { ROOT } from "../abeval.ts";

/** Builds the UI as for a release. */
export async function buildUi(outdir: string): Promise<string> {
  const flags = ["--outdir", outdir, "--minify", "--splitting", "--public-path", "/"];
  const build = Bun.spawn([process.execPath, "build", "src/doors/web/index.html", ...flags], {
    cwd: ROOT,
    stdout: "ignore",
  });
  if ((await build.exited) !== 0) throw new Error("the web UI does not build");
  return outdir;
}
