/** A provider as its variables spell it: `my-gateway`, `my.gateway` and `My_Gateway` share theirs, and so are one. */
export const providerName = (name: string): string => name.toLowerCase().replaceAll(/[-.]/g, "_");

/** Of `<provider>/<model>`; undefined without a slash. */
export function providerOf(model: string): string | undefined {
  const slash = model.indexOf("/");
  return slash < 1 ? undefined : providerName(model.slice(0, slash));
}
