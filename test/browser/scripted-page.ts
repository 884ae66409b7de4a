import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { ensureBuilt, ROOT } from "../support/built-cli.ts";
import { launchBrowser, type PageOptions, type SharedBrowser, type WatchedPage } from "./browser.ts";
import { createScriptedApi, type ScriptedApi } from "./scripted-api.ts";
import { buildScript } from "./scripted-data.ts";

export const PAGE = join(ROOT, "dist", "inspector");

interface ScriptedOptions extends PageOptions {
  /** Tools beyond the few of the script. */
  readonly tools?: number;
  /** Where on the page, behind the address. */
  readonly at?: string;
}

interface ScriptedPages {
  empty(options?: PageOptions): Promise<WatchedPage>;
  /** A page with the token; nothing it must not do may have happened by the end. */
  open(options?: ScriptedOptions): Promise<{ page: Page; api: ScriptedApi }>;
}

/** Opens pages in one browser for all tests of a file, each on an API of its own; `empty` are pages without any. */
export function useScriptedPages(): ScriptedPages {
  let browser: SharedBrowser | null = null;
  beforeAll(async () => {
    ensureBuilt();
    browser = await launchBrowser();
  }, 180_000);
  afterAll(() => browser?.close());
  const empty: ScriptedPages["empty"] = (options) => {
    if (browser === null) throw new Error("pages are opened inside tests");
    return browser.open(options);
  };
  return {
    empty,
    async open(options = {}) {
      const { tools = 0, at = "", ...context } = options;
      const api = await createScriptedApi(buildScript(tools), PAGE);
      const { page, offences, close } = await empty(context);
      onTestFinished(async () => {
        await close();
        await api.close();
        expect(offences).toEqual([]);
      });
      await page.goto(`${api.url}#/tools?token=${api.token}`);
      await page.getByText("Live", { exact: true }).waitFor();
      if (at !== "") await page.goto(`${api.url}${at}`);
      return { page, api };
    },
  };
}
