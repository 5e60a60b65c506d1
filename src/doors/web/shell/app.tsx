import { useEffect, useRef } from "preact/hooks";
import { connected } from "../api.ts";
import { lazy } from "../part/lazy.tsx";
import { Page } from "../part/page.tsx";
import { blind, nextTheme, theme } from "../preferences.ts";
import { address, pageOf, type Route } from "../routes.ts";
import { helpOpen, openPalette, paletteOpen } from "./shortcuts.ts";

const HomePage = lazy(async () => (await import("../home/home-page.tsx")).HomePage);
const ScenarioListPage = lazy(async () => (await import("../scenarios/scenario-list-page.tsx")).ScenarioListPage);
const ScenarioPage = lazy(async () => (await import("../scenarios/scenario-page.tsx")).ScenarioPage);
const SessionsPage = lazy(async () => (await import("../sessions/sessions-page.tsx")).SessionsPage);
const SessionPage = lazy(async () => (await import("../verdict/session-page.tsx")).SessionPage);
const DiffPage = lazy(async () => (await import("../diff/diff-page.tsx")).DiffPage);
const LivePage = lazy(async () => (await import("../live/live-page.tsx")).LivePage);
const ComparePage = lazy(async () => (await import("../sessions/compare-page.tsx")).ComparePage);
const SeriesListPage = lazy(async () => (await import("../series/series-list-page.tsx")).SeriesListPage);
const SeriesPage = lazy(async () => (await import("../series/series-page.tsx")).SeriesPage);
const CompareSeriesPage = lazy(
  async () => (await import("../series/compare/compare-series-page.tsx")).CompareSeriesPage,
);
const ResultsPage = lazy(async () => (await import("../series/results-page.tsx")).ResultsPage);
const JudgesPage = lazy(async () => (await import("../judges/judges-page.tsx")).JudgesPage);
const SelfTestPage = lazy(async () => (await import("../judges/self-test-page.tsx")).SelfTestPage);
const BlindPairsPage = lazy(async () => (await import("../judges/blind-pairs-page.tsx")).BlindPairsPage);
const DoctorPage = lazy(async () => (await import("../doctor/doctor-page.tsx")).DoctorPage);

const Palette = lazy(async () => (await import("./palette.tsx")).Palette);
const HelpDialog = lazy(async () => (await import("./help-dialog.tsx")).HelpDialog, "the help");

export function App() {
  const main = useRef<HTMLElement>(null);
  const { pathname } = address.value;
  const arrived = useRef(pathname);
  useEffect(() => {
    // A new page takes the focus, so that a screen reader begins at its top. The first page has it from the browser.
    if (arrived.current !== pathname) main.current?.focus({ preventScroll: true });
    arrived.current = pathname;
  }, [pathname]);
  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <Masthead />
      <div role="status">
        {!connected.value && (
          <p class="connection">
            The server does not answer. Trying again every second. This page keeps what it shows; runs that were at work
            may be interrupted.
          </p>
        )}
        {blind.value && (
          <p class="blind-reminder">
            <strong>Blind mode.</strong> Arm names and verdicts stay hidden until you have voted.
          </p>
        )}
      </div>
      <main id="main" ref={main} tabIndex={-1}>
        <CurrentPage route={pageOf(address.value)} />
      </main>
      {helpOpen.value && <HelpDialog />}
      {paletteOpen.value && <Palette />}
    </>
  );
}

function CurrentPage({ route }: { route: Route }) {
  switch (route.page) {
    case "home":
      return <HomePage />;
    case "scenarios":
      return <ScenarioListPage filter={route.filter} />;
    case "scenario":
      return <ScenarioPage key={route.name} name={route.name} models={route.models} />;
    case "live":
      return <LivePage key={route.id} id={route.id} stay={route.stay} />;
    case "sessions":
      return <SessionsPage view={route.view} />;
    case "session":
      return <SessionPage key={route.id} id={route.id} verdict_id={route.verdict} />;
    case "diff":
      return <DiffPage key={route.id} id={route.id} verdict_id={route.verdict} view={route.view} />;
    case "compare":
      return <ComparePage a={route.a} b={route.b} />;
    case "series-list":
      return (
        <SeriesListPage key={route.scenario} scenario={route.scenario} shown={route.shown} picked={route.picked} />
      );
    case "compare-series":
      return <CompareSeriesPage a={route.a} b={route.b} scenario={route.scenario} />;
    case "series":
      return <SeriesPage key={route.id} id={route.id} />;
    case "results":
      return <ResultsPage />;
    case "judges":
      return <JudgesPage scenario={route.scenario} judge={route.judge} />;
    case "self-test":
      return <SelfTestPage key={route.id} id={route.id} />;
    case "blind-pairs":
      return <BlindPairsPage />;
    case "doctor":
      return <DoctorPage scenario={route.scenario} />;
    case "unknown":
      return (
        <Page title="There is no such page">
          <p>
            Nothing lives at <code>{route.path}</code>. Begin at the <a href="/scenarios">scenarios</a> or the{" "}
            <a href="/sessions">sessions</a>.
          </p>
        </Page>
      );
  }
}

const PLACES = [
  { href: "/scenarios", name: "Scenarios", pages: ["scenarios", "scenario"] },
  { href: "/sessions", name: "Sessions", pages: ["sessions", "session", "diff", "compare", "live"] },
  { href: "/series", name: "Series", pages: ["series-list", "series", "compare-series", "results"] },
  { href: "/judges", name: "Judges", pages: ["judges", "self-test", "blind-pairs"] },
  { href: "/doctor", name: "Doctor", pages: ["doctor"] },
];

/** The head of every page: navigation, blind mode, theme, help. */
function Masthead() {
  const { page } = pageOf(address.value);
  return (
    <header class="masthead">
      <a class="brand" href="/" aria-current={page === "home" ? "page" : undefined}>
        abeval<span class="hidden-text">, home</span>
      </a>
      <nav aria-label="Main">
        {PLACES.map(({ href, name, pages }) => (
          <a key={href} href={href} aria-current={pages.includes(page) ? "page" : undefined}>
            {name}
          </a>
        ))}
      </nav>
      <div class="switches">
        <button type="button" class="quiet" aria-pressed={blind.value} onClick={() => (blind.value = !blind.value)}>
          Blind
        </button>
        <button type="button" class="quiet" onClick={openPalette}>
          Find <kbd>Ctrl K</kbd>
        </button>
        <button type="button" class="quiet" onClick={nextTheme} aria-label={`Theme: ${theme.value}. Change`}>
          {{ auto: "Auto", light: "Light", dark: "Dark" }[theme.value]}
        </button>
        <button type="button" class="quiet" aria-label="Keyboard help" onClick={() => (helpOpen.value = true)}>
          ?
        </button>
      </div>
    </header>
  );
}
