import type { ErrorObject, ValidateFunction } from "ajv";
import { OverLimit } from "../../runtime/bounded.ts";

/** References that lead on from one another. Each needs room on the stack. */
const MOST_REFERENCES = 1_000;

/** What a part of a schema said of a value. */
interface Said {
  readonly fits: boolean;
  /** The first of its errors: with all of them, those of two parts would be twice as many at each level. */
  readonly error: ErrorObject | undefined;
  readonly props: NonNullable<ValidateFunction["evaluated"]>["props"];
  readonly items: NonNullable<ValidateFunction["evaluated"]>["items"];
}

/** Puts what Ajv writes for a part that others refer to into a call of `self.askOnce`, where Ajv's instance holds an `onceAsker`. */
export function wrapInAskOnce(code: string): string {
  const [header, name] = /\breturn function (validate\d+)\(/.exec(code) ?? [];
  if (header === undefined) return code;
  return `${code.replace(header, `const ${name} = self.askOnce(function (`)}); return ${name};`;
}

/**
 * Lets each part that others refer to be asked once of each list and object. Else a schema that tries two references at each level
 * would take twice as long for each level.
 * @param remembers false where what a part says depends on who asks
 */
export function onceAsker(remembers: boolean): (ask: ValidateFunction) => ValidateFunction {
  let depth = 0;
  return (ask) => {
    const answers = new WeakMap<object, Said>();
    const askAnew = (data: unknown, context: Parameters<ValidateFunction>[1]): Said => {
      if (depth === MOST_REFERENCES)
        throw new OverLimit(`follows more than ${MOST_REFERENCES.toLocaleString("en")} references, one from another`);
      depth += 1;
      const fits = ask(data, context);
      depth -= 1;
      const { props, items } = once.evaluated ?? {};
      return { fits, error: once.errors?.[0], props, items };
    };
    // Ajv itself adds the other properties of such a function.
    const once = ((data: unknown, context: Parameters<ValidateFunction>[1]) => {
      const isTree = typeof data === "object" && data !== null;
      const said = (isTree && answers.get(data)) || askAnew(data, context);
      if (isTree && remembers) answers.set(data, said);
      return repeat(once, said);
    }) as ValidateFunction;
    return once;
  };
}

/** Who hears it may write into it. */
function repeat(once: ValidateFunction, { fits, error, props, items }: Said): boolean {
  once.errors = error === undefined ? null : [error];
  if (once.evaluated?.dynamicProps)
    Object.assign(once.evaluated, { props: typeof props === "object" ? { ...props } : props });
  if (once.evaluated?.dynamicItems) Object.assign(once.evaluated, { items });
  return fits;
}
