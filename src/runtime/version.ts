import manifest from "../../package.json" with { type: "json" };

declare const BUILD_COMMIT: string | undefined;

/** Inlined by the bundler: this is the build stamp. */
export const { version } = manifest;

/** The commit of the sources, which the compiler is told; undefined where it knew none, and in the sources themselves. */
export const commit = typeof BUILD_COMMIT === "string" && BUILD_COMMIT !== "" ? BUILD_COMMIT : undefined;
