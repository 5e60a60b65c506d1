/** Every origin may read what is answered (spec part 5). */
const HEADER = "access-control-allow-origin";

/** On an answer that was made with the header. */
const MADE = Symbol("made for every origin");

const JSON_HEADERS = new Headers({ "content-type": "application/json;charset=utf-8", [HEADER]: "*" });

/** JSON that is made with the header: to set it afterwards, or to look for it, costs a small answer an eighth of its time. */
export function json(value: unknown): Response {
  const response: Response & { [MADE]?: true } = new Response(JSON.stringify(value), { headers: JSON_HEADERS });
  response[MADE] = true;
  return response;
}

/** The same answer for every origin. */
export function forEveryOrigin(response: Response & { readonly [MADE]?: true }): Response {
  if (response[MADE] !== true) response.headers.set(HEADER, "*");
  return response;
}

/** Other origins may read only what is named. */
export const readable = (...names: readonly string[]) => ({ "access-control-expose-headers": names.join(", ") });
