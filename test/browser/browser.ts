import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Page } from "playwright-core";
import { CHROMIUM_ARGUMENTS } from "../support/chromium-arguments.mjs";
import { findWorking } from "../support/machine.ts";

/** An empty page, and everything about it that must never happen. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors, failed policies and requests to other origins, as they came. */
  readonly offences: readonly string[];
  close(): Promise<void>;
}

export interface PageOptions {
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly colorScheme?: "light" | "dark";
  readonly permissions?: readonly string[];
}

export interface SharedBrowser {
  open(options?: PageOptions): Promise<WatchedPage>;
  close(): Promise<void>;
}

/**
 * One browser for a whole file. A process for each page would cost more than what is tested on it, so that a page which
 * was closed is used again, empty.
 */
export async function launchBrowser(): Promise<SharedBrowser> {
  const executablePath = findWorking("chromium");
  if (executablePath === null) throw new Error('a test that launches a browser has to say so: needs("chromium")');
  const folder = mkdtempSync(join(tmpdir(), "toolcrib-browser-"));
  const browser = await chromium.launch({
    executablePath,
    args: [...CHROMIUM_ARGUMENTS, `--disk-cache-dir=${folder}`],
    timeout: 60_000,
  });
  const closed: Page[] = [];
  return {
    async open(options = {}) {
      const page = closed.pop() ?? (await (await browser.newContext()).newPage());
      await prepare(page, options);
      return watch(page, () => void closed.push(page));
    },
    async close() {
      await browser.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function prepare(page: Page, options: PageOptions): Promise<void> {
  const { viewport = { width: 1440, height: 900 }, colorScheme = "light" } = options;
  page.setDefaultTimeout(30_000);
  await page.setViewportSize(viewport);
  // What moves is drawn again and again, by the processor.
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  await page.context().grantPermissions([...(options.permissions ?? [])]);
}

function watch(page: Page, keep: () => void): WatchedPage {
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
  return {
    page,
    offences,
    async close() {
      await empty(page);
      page.removeAllListeners();
      keep();
    },
  };
}

/** Leaves nothing to who comes next: what is stored for the origin, cookies, permissions, and the page itself. */
async function empty(page: Page): Promise<void> {
  await page.evaluate("sessionStorage.clear(); localStorage.clear()");
  await Promise.all([page.context().clearCookies(), page.context().clearPermissions()]);
  await page.goto("about:blank");
}
