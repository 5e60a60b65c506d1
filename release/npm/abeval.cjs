#!/usr/bin/env node
// Starts the executable of this platform, which has a package of its own, and ends as it ends.
const { spawn } = require("node:child_process");
const { isatty } = require("node:tty");
const { executable } = require("./executable.cjs");

start(found());

function found() {
  try {
    return executable();
  } catch ({ message }) {
    return refuse(message);
  }
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
