/** What a user's arguments do to those of a recipe. A flag is written as in a command; `-c key` is a setting behind a flag. */
export interface ArgumentRules {
  /** They keep their order. Each gives way to the user's argument of the same name, and to its rivals. */
  readonly own: readonly OwnArgument[];
  /** Arguments that would take the agent away from what abeval decides, with what to do instead. */
  readonly refused: Readonly<Record<string, string>>;
}

interface OwnArgument {
  readonly argv: readonly [flag: string, ...values: string[]];
  readonly rivals?: readonly string[];
}

/** Why a flag that names a model is refused. */
export const BY_MODEL = "the arm's `model` decides, and abeval forces it";
/** Why a flag that leads to a provider is refused. */
export const BY_PROXY = "abeval leads the agent to its model";
/** Why a flag that gives a task is refused. */
export const BY_PROMPT = "the scenario's prompt is the agent's task";

/** The recipe's own arguments, without those that give way. */
export const ownArguments = ({ own }: ArgumentRules, args: readonly string[]): string[] =>
  own.filter((one) => !givesWay(one, args)).flatMap(({ argv }) => argv);

/** The recipe's own flags that the user's arguments take the place of. */
export const displaced = ({ own }: ArgumentRules, args: readonly string[]): string[] =>
  own.flatMap((one) => (givesWay(one, args) ? [one.argv[0]] : []));

const givesWay = ({ argv: [flag], rivals = [] }: OwnArgument, args: readonly string[]): boolean =>
  [flag, ...rivals].some((name) => placeOf(args, name) >= 0);

/** Each argument that is refused: its place, its name and why. */
export const refusedArguments = ({ refused }: ArgumentRules, args: readonly string[]) =>
  Object.entries(refused).flatMap(([name, why]) => {
    const index = placeOf(args, name);
    return index < 0 ? [] : [{ index, name, why }];
  });

/** Whether the user's arguments have it. */
export const hasArgument = (args: readonly string[], name: string): boolean => placeOf(args, name) >= 0;

function placeOf(args: readonly string[], name: string): number {
  const [flag = "", key] = name.split(" ");
  if (key === undefined) return args.findIndex((arg) => arg === flag || arg.startsWith(`${flag}=`));
  const isKey = (text: string | undefined) => text?.startsWith(`${key}=`) || text?.startsWith(`${key}.`);
  return args.findIndex((arg, index) => arg === flag && isKey(args[index + 1]));
}
