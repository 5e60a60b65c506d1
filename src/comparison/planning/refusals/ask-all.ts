import { Failure } from "../../../domain/failure.ts";

/**
 * The answers to several questions. When some are refused, the user reads all refusals at once.
 * @throws Failure with the code and details of the first refusal, and a line for each. Other errors are thrown as they are.
 */
export async function askAll<Answers extends readonly unknown[]>(
  questions: { readonly [I in keyof Answers]: () => Answers[I] | Promise<Answers[I]> },
): Promise<Answers> {
  const answers = await Promise.allSettled(questions.map(async (ask) => await ask()));
  const refusals = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason as unknown] : []));
  const [first] = refusals;
  if (first === undefined)
    return answers.map((answer) => (answer as PromiseFulfilledResult<unknown>).value) as unknown as Answers; // in the order of the questions
  const fault = refusals.find((reason) => !(reason instanceof Failure));
  if (fault !== undefined || !(first instanceof Failure)) throw fault;
  const lines = new Set(refusals.map((reason) => (reason as Failure).message)); // other errors were thrown
  if (lines.size === 1) throw first;
  const { code, details } = first;
  throw new Failure(code, [...lines].join("\n"), { cause: first, ...(details && { details }) });
}
