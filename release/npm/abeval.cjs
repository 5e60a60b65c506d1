#!/usr/bin/env node
// Starts the executable of this platform, which has a package of its own, and ends as it ends.
const { spawn } = require("node:child_process");
const { isatty } = require("node:tty");
const { optionalDependencies, version } = require("./package.json");

start(executableOf(`@abeval/${process.platform}-${process.arch}${isMusl() ? "-musl" : ""}`));

function executableOf(name) {
  if (!Object.hasOwn(optionalDependencies, name)) return refuse(noSuchPackage(name));
  try {
    return require.resolve(`${name}/abeval`);
  } catch {
    return refuse(
      `${name}, an optional dependency of abeval, is not installed. Install abeval again without --omit=optional or ` +
        `--no-optional; where node_modules or a lock file came from another platform, remove them first; or add it: ` +
        `npm install ${name}@${version}`,
    );
  }
}

function noSuchPackage(name) {
  if (process.platform === "win32")
    return "Windows: run this inside WSL (https://learn.microsoft.com/windows/wsl/install)";
  return `there is no ${name}; there are ${Object.keys(optionalDependencies).join(", ")}`;
}

/** glibc names its version in the runtime's own report; musl has none. */
function isMusl() {
  if (process.platform !== "linux") return false;
  // Else the report looks up the name of every open connection, which takes seconds without a name server.
  process.report.excludeNetwork = true;
  return process.report.getReport().header.glibcVersionRuntime === undefined;
}

function start(executable) {
  // A terminal sends Ctrl+C to both, and a second signal means to stop at once.
  const isSentToBoth = [0, 1, 2].some((descriptor) => isatty(descriptor));
  // Before the child: a signal that comes while it starts is passed on when it has.
  for (const signal of ["SIGINT", "SIGQUIT"]) process.on(signal, () => isSentToBoth || child.kill(signal));
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  const child = spawn(executable, process.argv.slice(2), { stdio: "inherit" });
  child.on("error", ({ message }) => refuse(`${executable} does not start: ${message}`));
  child.on("exit", endAs);
}

function endAs(status, signal) {
  if (signal === null) process.exit(status);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/** With the status of wrong use: nothing ran. */
function refuse(words) {
  process.stderr.write(`abeval: ${words}\n`);
  process.exit(2);
}
