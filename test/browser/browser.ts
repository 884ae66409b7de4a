import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { findWorking } from "../support/machine.ts";

const ARGUMENTS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A page of its own, and everything about it that must never happen. */
interface WatchedPage {
  readonly page: Page;
  /** Errors, failed policies and requests to other origins, as they came. */
  readonly offences: readonly string[];
  close(): Promise<void>;
}

export interface SharedBrowser {
  open(options?: BrowserContextOptions): Promise<WatchedPage>;
  close(): Promise<void>;
}

/** One browser for a whole file: each page has cookies and storage of its own. */
export async function launchBrowser(): Promise<SharedBrowser> {
  const executablePath = findWorking("chromium");
  if (executablePath === null) throw new Error('a test that launches a browser has to say so: needs("chromium")');
  const folder = mkdtempSync(join(tmpdir(), "toolcrib-browser-"));
  const browser = await chromium.launch({
    executablePath,
    args: [...ARGUMENTS, `--disk-cache-dir=${folder}`],
    timeout: 60_000,
  });
  return {
    open: async (options) => watch(await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options })),
    async close() {
      await browser.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function watch(context: BrowserContext): Promise<WatchedPage> {
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  const offences: string[] = [];
  page.on("pageerror", (error) => offences.push(`error: ${error.message}`));
  page.on("console", (message) => {
    // A refused answer is written to the console by the browser itself; whether one is meant is for the test to say.
    const isOwn = !message.text().startsWith("Failed to load resource");
    if (isOwn && (message.type() === "error" || message.type() === "warning")) offences.push(message.text());
  });
  page.on("dialog", (dialog) => {
    offences.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    const url = new URL(request.url());
    const own = new URL(page.url() === "about:blank" ? request.url() : page.url());
    if (url.protocol !== "blob:" && url.host !== own.host) offences.push(`foreign request: ${request.url()}`);
  });
  return { page, offences, close: () => context.close() };
}
