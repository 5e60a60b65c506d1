import "./shell/common-parts.ts";
import { render } from "preact";
import { applyTheme } from "./preferences.ts";
import { listenToNavigation } from "./routes.ts";
import { App } from "./shell/app.tsx";
import { listenToKeys } from "./shell/shortcuts.ts";

const root = document.getElementById("app");
if (root) {
  applyTheme();
  listenToNavigation();
  listenToKeys();
  render(<App />, root);
}
