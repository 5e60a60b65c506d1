declare module "*.woff2" {
  /** Where the file lies. */
  const path: string;
  // biome-ignore lint/style/noDefaultExport: how Bun imports a file
  export default path;
}

declare module "*.wasm.gz" {
  /** Where the file lies. */
  const path: string;
  // biome-ignore lint/style/noDefaultExport: how Bun imports a file
  export default path;
}
