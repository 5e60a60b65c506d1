import {
  type Browser,
  type BrowserContext,
  type ConsoleMessage,
  chromium,
  type Locator,
  type Page,
} from "playwright-core";

/**
 * Chromium takes only the last list, so the first line is Playwright's own. The second is for people at a window: pages of the
 * toolbar, which every profile would load before its first page, for three times the work of that.
 */
const WITHOUT = [
  "AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,LensOverlay,MediaRouter,PaintHolding,ThirdPartyStoragePartitioning,AvoidCorsURLLoaderRestartOnRedirect,TcpPortRandomizationWin,OptimizationHints,NetworkTimeServiceQuerying,AimEnabled,PreconnectToSearch",
  "InitialWebUI,WebUIReloadButton,WebUIOmniboxPopup,WebUIOmniboxAimPopup",
];

const ARGS = [
  `--disable-features=${WITHOUT.join()}`,
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: Bun.which("chromium") ?? "", args: ARGS });

/** Asked of the browser itself: that a process was killed is heard of late. */
export async function answers(browser: Browser): Promise<boolean> {
  try {
    const session = await browser.newBrowserCDPSession();
    await session.send("Browser.getVersion");
    await session.detach();
    return true;
  } catch {
    return false;
  }
}

export const DESKTOP = { width: 1280, height: 900 };
export const WIDE = { width: 1440, height: 900 };
export const TABLET = { width: 1024, height: 768 };
/** A tablet that is held upright. */
export const UPRIGHT = { width: 820, height: 1180 };
export const PHONE = { width: 390, height: 844 };

export interface Visit extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Console errors, exceptions, and requests to another server. */
  readonly complaints: readonly string[];
}

export interface VisitOptions {
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly dark?: boolean;
}

/** Opens a page in an empty browser profile. */
export async function visit(browser: Browser, baseURL: string, options: VisitOptions = {}): Promise<Visit> {
  const context = await browser.newContext({
    baseURL,
    viewport: options.viewport ?? DESKTOP,
    colorScheme: options.dark ? "dark" : "light",
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  // Less than a test's limit, so that the message says what was waited for.
  page.setDefaultTimeout(55_000);
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (!/^(error|warning)$/.test(message.type()) || isLate(message)) return;
    complaints.push(`${message.text()} (${message.location().url})`);
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    if (!request.url().startsWith(baseURL)) complaints.push(`a request to ${request.url()}`);
  });
  return { page, context, complaints, [Symbol.asyncDispose]: () => context.close() };
}

/** A page that is slow asks for the events of a run that has just ended. The server refuses, and the session tells the rest. */
const isLate = (message: ConsoleMessage) =>
  message.text().includes("404") && /\/api\/runs\/[^/]+\/stream$/.test(message.location().url);

/** The text that a reader sees, line by line. */
// biome-ignore lint/performance/useDomNodeTextContent: the layout of the text is tested
export const shownText = (part: Locator): Promise<string> => part.innerText();
