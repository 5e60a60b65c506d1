/**
 * What a changelog says of one version, without its heading.
 * @throws Error when it says nothing
 */
export function changelogSection(changelog: string, version: string): string {
  const section = changelog.split(/^## /m).find((part) => part.startsWith(`[${version}]`));
  const body = section?.slice(section.indexOf("\n")).trim();
  if (!body) throw new Error(`CHANGELOG.md says nothing about ${version}: add a section "## [${version}]"`);
  return `${body}\n`;
}
