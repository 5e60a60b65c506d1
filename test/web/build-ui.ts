import { ROOT } from "../abeval.ts";

/** Builds the UI as for a release. */
export async function buildUi(outdir: string): Promise<string> {
  const flags = ["--outdir", outdir, "--minify", "--splitting", "--public-path", "/"];
  const entries = ["src/doors/web/index.html", "src/doors/web/colour-worker.ts"];
  const build = Bun.spawn([process.execPath, "build", ...entries, ...flags], {
    cwd: ROOT,
    stdout: "ignore",
  });
  if ((await build.exited) !== 0) throw new Error("the web UI does not build");
  return outdir;
}
