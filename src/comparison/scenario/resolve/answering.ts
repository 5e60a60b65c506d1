import type { ArmEndpoint, ArmProgram } from "../../../domain/answering.ts";
import type { Arm } from "../../../domain/arm.ts";
import type { ArmFile } from "../authored/arm-file.ts";
import type { FieldPath, Problems } from "../authored/problems.ts";
import type { ResolveContext } from "./context.ts";

/** What belongs to an arm of a model. */
const OF_MODELS = [
  ...["model", "system_prompt", "system_prompt_file", "tools", "agent", "ran", "mcp", "params", "script", "scripts"],
] as const;

/** Headers that say how a request travels, or that abeval sets. */
const OURS =
  /^(host|connection|content-.*|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*|accept|accept-encoding|idempotency-key)$/i;

/** Adds a problem for each field that would silently do nothing, and for what no endpoint can be asked by. */
export function checkAnsweringFields(problems: Problems, index: number, own: ArmFile, arm: ArmFile): void {
  const { endpoint, program } = arm;
  if (!endpoint && !program) return;
  if (endpoint && program) problems.add(["arms", index, "program"], "endpoint is given too; keep one");
  const idle = endpoint ? [...OF_MODELS, "files"] : OF_MODELS;
  checkIdle(problems, index, { own, arm, kind: endpoint ? "endpoint" : "program", idle });
  if (endpoint) checkAddress(problems, ["arms", index, "endpoint"], endpoint);
}

interface Idle {
  readonly own: ArmFile;
  readonly arm: ArmFile;
  readonly kind: string;
  /** Fields that would do nothing. */
  readonly idle: readonly string[];
}

function checkIdle(problems: Problems, index: number, { own, arm, kind, idle }: Idle): void {
  for (const field of idle.filter((one) => isGiven(arm, one))) {
    const does = `does nothing in an arm with \`${kind}\`, which answers by itself`;
    if (isGiven(own, field)) problems.add(["arms", index, field], `${does}; take it out`);
    else problems.add(["arms", index, "extends"], `brings \`${field}\`, which ${does}`);
  }
}

const isGiven = (arm: ArmFile, field: string): boolean => (Reflect.get(arm, field) ?? null) !== null;

/** Adds a problem for what nobody can be asked by. @param path where it stands in the file */
export function checkAddress(
  problems: Problems,
  path: FieldPath,
  { url, headers_env = {} }: Pick<ArmEndpoint, "url" | "headers_env">,
): void {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.hostname === "")
    problems.add([...path, "url"], "expected http://<host>/<path> or https://<host>/<path>");
  else if (parsed.username !== "" || parsed.password !== "")
    problems.add(
      [...path, "url"],
      "holds a name or a password, which every session would store; send it as a header by headers_env",
    );
  for (const name of Object.keys(headers_env).filter((header) => OURS.test(header)))
    problems.add([...path, "headers_env", name], "is set by abeval; leave it out", { at: "key" });
}

type Answering = { readonly endpoint: ArmEndpoint } | { readonly program: ArmProgram };

/** What answers for the arm, with the columns that it is sent; undefined for an arm of a model. */
function answeringOf(context: ResolveContext, index: number, arm: ArmFile): Answering | undefined {
  const { endpoint, program } = arm;
  if (endpoint) return { endpoint: { ...endpoint, ...sentTo(context, [index, "endpoint"], endpoint) } };
  return program && { program: { ...program, ...sentTo(context, [index, "program"], program) } };
}

/** Absent where the scenario has no inputs. */
function sentTo(
  { problems, columns }: ResolveContext,
  path: readonly [index: number, kind: string],
  { send }: Pick<ArmEndpoint, "send">,
): Pick<ArmEndpoint, "send"> {
  if (send === undefined) return columns ? { send: [...columns.sent] } : {};
  for (const [at, name] of send.entries())
    if (!columns?.all.includes(name))
      problems.add(["arms", ...path, "send", at], `"${name}" names no column of the inputs`);
  return {};
}

/** The arm for which somebody's own program answers: what belongs to a model is empty. Undefined for any other. */
export function resolveAnswering(
  context: ResolveContext,
  index: number,
  arm: ArmFile,
): Omit<Arm, "price_per_mtok"> | undefined {
  const answering = answeringOf(context, index, arm);
  if (answering === undefined) return undefined;
  const { id, title = id, limits = {} } = arm;
  return {
    ...{ id, title, model: `${arm.endpoint ? "endpoint" : "program"}/${id}` },
    ...{ system_prompt: "", tools: [], params: {}, limits, script: null },
    ...answering,
  };
}
