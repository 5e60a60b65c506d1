// Where the executable of this platform is, which has a package of its own.
const { optionalDependencies, version } = require("./package.json");

/** @throws Error with words for a person */
exports.executable = () => {
  const name = `@abeval/${process.platform}-${process.arch}${isMusl() ? "-musl" : ""}`;
  if (!Object.hasOwn(optionalDependencies, name)) throw new Error(noSuchPackage(name));
  try {
    return require.resolve(`${name}/abeval`);
  } catch {
    throw new Error(
      `${name}, an optional dependency of abeval, is not installed. Install abeval again without --omit=optional or ` +
        `--no-optional; where node_modules or a lock file came from another platform, remove them first; or add it: ` +
        `npm install ${name}@${version}`,
    );
  }
};

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
