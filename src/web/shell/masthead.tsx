import { blind, nextTheme, theme } from "../preferences.ts";
import { address, routeOf } from "../routes.ts";
import { helpOpen } from "./shortcuts.ts";

const PLACES = [
  { href: "/", name: "Scenarios", pages: ["scenarios", "scenario"] },
  { href: "/sessions", name: "Sessions", pages: ["sessions", "session", "diff", "compare", "live"] },
  { href: "/doctor", name: "Doctor", pages: ["doctor"] },
];

/** Where one is, where one can go, and how the page looks. */
export function Masthead() {
  const { page } = routeOf(address.value);
  return (
    <header class="masthead">
      <a class="brand" href="/">
        abeval
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
