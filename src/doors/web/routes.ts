import { effect, signal } from "@preact/signals";
import type { SessionOutcome } from "../../domain/session.ts";
import type { ArmPointer } from "../../domain/verdict.ts";
import { SHOWN_ROWS } from "./rows.ts";
import { parametersOf, type SessionsView, viewOf } from "./sessions/sessions-view.ts";

/** The model of both arms and the judge; null leaves the choice to scenario and server. */
export interface ChosenModels {
  readonly model: string | null;
  readonly judge: string | null;
}

/** Every page, with what its address says. */
export type Route =
  | { readonly page: "home" }
  | { readonly page: "scenarios"; readonly filter: string }
  | { readonly page: "scenario"; readonly name: string; readonly models: ChosenModels }
  | { readonly page: "live"; readonly id: string; readonly stay: boolean }
  | { readonly page: "sessions"; readonly view: SessionsView }
  | { readonly page: "session"; readonly id: string; readonly verdict: string | null }
  | { readonly page: "diff"; readonly id: string; readonly verdict: string | null; readonly view: string | null }
  | { readonly page: "compare"; readonly a: ArmPointer; readonly b: ArmPointer }
  | {
      readonly page: "series-list";
      readonly scenario: string | null;
      readonly shown: number;
      /** Ids of two series at most that were picked for a comparison. */
      readonly picked: readonly string[];
    }
  | { readonly page: "compare-series"; readonly a: string; readonly b: string; readonly scenario: string | null }
  | { readonly page: "series"; readonly id: string }
  | { readonly page: "results" }
  | { readonly page: "judges"; readonly scenario: string | null; readonly judge: string | null }
  | { readonly page: "self-test"; readonly id: string }
  | { readonly page: "blind-pairs" }
  | { readonly page: "doctor"; readonly scenario: string | null }
  | { readonly page: "unknown"; readonly path: string };

/** What the address bar says. */
export const address = signal<URL>(new URL(globalThis.location?.href ?? "http://localhost/"));

export function pageOf({ pathname, searchParams }: URL): Route {
  const [first = "", second, third, ...rest] = segmentsOf(pathname);
  if (rest.length > 0) return { page: "unknown", path: pathname };
  const verdict = searchParams.get("verdict");
  if (third === "diff" && first === "sessions" && second)
    return { page: "diff", id: second, verdict, view: searchParams.get("view") };
  if (third !== undefined) return { page: "unknown", path: pathname };
  return second === undefined ? topRoute(first, searchParams, pathname) : itemRoute(first, second, searchParams);
}

function topRoute(first: string, parameters: URLSearchParams, path: string): Route {
  const scenario = parameters.get("scenario");
  const filter = parameters.get("filter") ?? "";
  const shown = Math.max(SHOWN_ROWS, Number(parameters.get("shown")) || 0);
  if (first === "") return { page: "home" };
  if (first === "scenarios") return { page: "scenarios", filter };
  if (first === "sessions") return { page: "sessions", view: viewOf(parameters) };
  if (first === "series") return { page: "series-list", scenario, shown, picked: picksOf(parameters) };
  if (first === "judges") return { page: "judges", scenario, judge: parameters.get("judge") };
  if (first === "doctor") return { page: "doctor", scenario };
  const [a, b] = [pointerOf(parameters.get("a")), pointerOf(parameters.get("b"))];
  return first === "compare" && a && b ? { page: "compare", a, b } : { page: "unknown", path };
}

function itemRoute(first: string, id: string, parameters: URLSearchParams): Route {
  const models = { model: parameters.get("model"), judge: parameters.get("judge") };
  if (first === "scenarios") return { page: "scenario", name: id, models };
  if (first === "live") return { page: "live", id, stay: parameters.has("stay") };
  if (first === "series") return seriesRoute(id, parameters);
  if (first === "judges") return id === "blind" ? { page: "blind-pairs" } : { page: "self-test", id };
  if (first === "sessions") return { page: "session", id, verdict: parameters.get("verdict") };
  return { page: "unknown", path: `/${first}/${id}` };
}

function seriesRoute(id: string, parameters: URLSearchParams): Route {
  if (id === "results") return { page: "results" };
  const [a, b] = picksOf(parameters);
  if (id !== "compare" || !a || !b) return { page: "series", id };
  return { page: "compare-series", a, b, scenario: parameters.get("scenario") };
}

const picksOf = (parameters: URLSearchParams): string[] =>
  [parameters.get("a"), parameters.get("b")].flatMap((id) => id || []);

function segmentsOf(pathname: string): string[] {
  const parts = pathname.split("/").filter((part) => part !== "");
  try {
    return parts.map(decodeURIComponent);
  } catch {
    return parts; // a stray percent sign: then no id matches, and the page says so
  }
}

function pointerOf(text: string | null): ArmPointer | null {
  const [session_id, arm_id] = text?.split("/") ?? [];
  return session_id && arm_id ? { session_id, arm_id } : null;
}

const text = ({ session_id, arm_id }: ArmPointer) => `${session_id}/${arm_id}`;
const suffix = (parameters: Record<string, string | null | undefined>) => {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
};

export const toScenarios = (filter: string) => `/scenarios${suffix({ filter: filter || null })}`;
/** `models` are filled into the form that starts a run. */
export const toScenario = (name: string, models: Partial<ChosenModels> = {}) =>
  `/scenarios/${encodeURIComponent(name)}${suffix({ ...models })}`;
/** The page from which the same run can be started again. */
export const toRunAgain = ({
  scenario,
  request: { model_override, judge_model },
}: Pick<SessionOutcome, "scenario" | "request">) => toScenario(scenario, { model: model_override, judge: judge_model });
export const toLive = (id: string, stay = false) => `/live/${encodeURIComponent(id)}${stay ? "?stay" : ""}`;
export const toSession = (id: string, verdict: string | null = null) =>
  `/sessions/${encodeURIComponent(id)}${suffix({ verdict })}`;
export const toSessions = (view: SessionsView = {}) => `/sessions${suffix(parametersOf(view))}`;
export const toSeries = (id: string) => `/series/${encodeURIComponent(id)}`;
/** Where a table of results is dropped. */
export const toResults = () => "/series/results";
export const toSeriesList = (scenario: string | null = null, shown = SHOWN_ROWS, [a, b]: readonly string[] = []) =>
  `/series${suffix({ scenario, shown: shownText(shown), a, b })}`;
/** `scenario`: whose definition is shown. */
export const toCompareSeries = (a: string, b: string, scenario: string | null = null) =>
  `/series/compare${suffix({ a, b, scenario })}`;
const shownText = (shown: number) => (shown === SHOWN_ROWS ? null : String(shown));
export const toDiff = (id: string, verdict: string | null = null, view: string | null = null) =>
  `/sessions/${encodeURIComponent(id)}/diff${suffix({ verdict, view })}`;
export const toCompare = (a: ArmPointer, b: ArmPointer) => `/compare${suffix({ a: text(a), b: text(b) })}`;
/** What is named is filled into the form that tests a judge. */
export const toJudges = (test: { readonly scenario?: string; readonly judge?: string } = {}) =>
  `/judges${suffix(test)}`;
/** No self-test has this id. */
export const BLIND_PAIRS = "/judges/blind";
export const toSelfTest = (id: string) => `/judges/${encodeURIComponent(id)}`;
export const toDoctor = (scenario: string | null = null) => `/doctor${suffix({ scenario })}`;

/** The page that is left keeps its place for the way back. */
export function navigate(path: string, { replace = false } = {}): void {
  if (!replace) keepPlace();
  if (replace) history.replaceState(history.state, "", path);
  else history.pushState(null, "", path);
  address.value = new URL(location.href);
}

/** Leads on from where something was asked for, unless the reader went elsewhere while it took its time. */
export function leadOn(from: URL, path: string): void {
  if (address.peek().href === from.href) navigate(path);
}

/** Links between pages of the UI change the address without loading it again. The browser follows all others. */
export function listenToNavigation(): void {
  // A page is as long as it was only when it has read what it shows, so the browser would come back too early.
  history.scrollRestoration = "manual";
  addEventListener("pagehide", keepPlace);
  addEventListener("popstate", () => {
    address.value = new URL(location.href);
    scrollBack();
  });
  addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!link || !staysHere(link, event)) return;
    event.preventDefault();
    navigate(link.href);
  });
  let before = address.peek().pathname;
  effect(() => {
    const { pathname } = address.value;
    if (pathname !== before) scrollTo(0, 0);
    before = pathname;
  });
  scrollBack();
}

const keepPlace = () => history.replaceState({ top: scrollY }, "");

/** Milliseconds within which a page that was left is as long again as it was, also from a slow server. */
const SETTLED_MS = 30_000;

/** Scrolls to where the reader was, as soon as the page is long enough; not against a reader who scrolls. */
function scrollBack(): void {
  const top: unknown = history.state?.top;
  if (typeof top !== "number" || top === 0) return;
  const done = new AbortController();
  const resized = new ResizeObserver(() => {
    scrollTo(0, top);
    if (Math.abs(scrollY - top) < 2) done.abort();
  });
  const { pathname } = address.peek();
  const unsubscribe = address.subscribe((now) => now.pathname !== pathname && done.abort());
  done.signal.addEventListener("abort", () => {
    resized.disconnect();
    unsubscribe();
  });
  for (const event of ["wheel", "touchstart", "pointerdown", "keydown", "popstate"])
    addEventListener(event, () => done.abort(), { signal: done.signal, capture: true });
  setTimeout(() => done.abort(), SETTLED_MS);
  resized.observe(document.body);
}

function staysHere(link: HTMLAnchorElement, event: MouseEvent): boolean {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    return false;
  return link.origin === location.origin && !link.pathname.startsWith("/api/") && link.target === "";
}
