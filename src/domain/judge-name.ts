/** The models that a judge's name lists, in one text: `a/x,b/y,c/z`, or `panel(a/x+b/y+c/z)` as a verdict says it. */
export function judgesNamed(name: string): readonly string[] {
  const inPanel = /^panel\((.*)\)$/.exec(name)?.[1];
  return inPanel === undefined ? name.split(",").map((one) => one.trim()) : inPanel.split("+");
}

/** What a verdict calls a panel. The order in which its judges are given means nothing. */
export const panelName = (judges: readonly string[]): string => `panel(${judges.toSorted().join("+")})`;
