/** What a judge needs first comes first. Generated files are named and never shown. */
export const FILE_KINDS = ["source", "test", "config", "generated"] as const;
type FileKind = (typeof FILE_KINDS)[number];

const GENERATED =
  /(?:^|\/)(?:package-lock\.json|pnpm-lock\.yaml|go\.sum|bun\.lockb)$|\.(?:lock|map|snap|min\.js|min\.css)$|(?:^|\/)(?:dist|vendor|third_party|coverage|__snapshots__)\//;
const TEST = /(?:^|\/)(?:tests?|__tests__|spec)\/|[._-](?:test|spec)\.\w+$|(?:^|\/)test_[^/]+$/;
const CONFIG = /\.(?:json|ya?ml|toml|ini|cfg|conf|xml|properties|md|txt)$|(?:^|\/)(?:\.[^/]+|Dockerfile|Makefile)$/;

export function fileKind(path: string): FileKind {
  if (GENERATED.test(path)) return "generated";
  if (TEST.test(path)) return "test";
  return CONFIG.test(path) ? "config" : "source";
}
