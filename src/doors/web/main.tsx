import "./shell/common-parts.ts";
import { effect } from "@preact/signals";
import { render } from "preact";
import { theme } from "./preferences.ts";
import { listenToNavigation } from "./routes.ts";
import { App } from "./shell/app.tsx";
import { listenToKeys } from "./shell/shortcuts.ts";

const root = document.getElementById("app");

if (root) {
  effect(() => {
    document.documentElement.dataset["theme"] = theme.value;
  });
  listenToNavigation();
  listenToKeys();
  render(<App />, root);
}
