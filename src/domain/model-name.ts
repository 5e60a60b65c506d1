/** A provider as its variables spell it: `my-gateway`, `my.gateway` and `My_Gateway` share theirs, and so are one. */
export const providerName = (name: string): string => name.toLowerCase().replaceAll(/[-.]/g, "_");

/** Of `<provider>/<model>`; undefined without a slash. */
export function providerOf(model: string): string | undefined {
  const slash = model.indexOf("/");
  return slash < 1 ? undefined : providerName(model.slice(0, slash));
}

/** Whether a model replays the script of its arm. Names of providers are not case-sensitive. */
export const isScripted = (model: string): boolean => /^scripted\//i.test(model);

/** Whether a name is that of a judge that asks no model. */
export const isBuiltin = (model: string): boolean => /^builtin\//i.test(model);

/** The models that a judge's name lists, in one text: `a/x,b/y,c/z`, or `panel(a/x+b/y+c/z)` as a verdict says it. */
export function judgesNamed(name: string): readonly string[] {
  const inPanel = /^panel\((.*)\)$/.exec(name)?.[1];
  return inPanel === undefined ? name.split(",").map((one) => one.trim()) : inPanel.split("+");
}
