/**
 * The named fields of a value, or of its schema's properties. A view names what it shows, so that a field which is added
 * to the value later stays hidden until a view names it.
 */
export function pick<T extends object, const K extends keyof T>(value: T, names: readonly K[]): Pick<T, K> {
  const present = names.filter((name) => Object.hasOwn(value, name));
  return Object.fromEntries(present.map((name) => [name, value[name]])) as Pick<T, K>; // an absent one is optional in T
}
