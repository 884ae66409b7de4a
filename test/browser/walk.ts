import axe from "axe-core";
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

export const PANELS = [
  "Overview",
  "Tools",
  "Search",
  "Servers",
  "Runs",
  "Calls",
  "Approvals",
  "Changes",
  "Sessions",
  "Connect",
] as const;

/** Opens a panel as people do, and waits until its heading says so. */
export async function goTo(page: Page, panel: (typeof PANELS)[number]): Promise<void> {
  await page.getByRole("navigation").getByRole("link", { name: panel }).click();
  await page.getByRole("heading", { level: 1, name: panel }).waitFor({ state: "attached" });
}

/** The row of a tool in the grid. */
export function rowOf(page: Page, tool: string): Locator {
  return page.getByRole("grid").getByRole("row").filter({ hasText: tool });
}

/** A field of the what-if. */
export function whatIf(page: Page, field: string): Locator {
  return page.getByRole("form", { name: "What if" }).getByRole("combobox", { name: field, exact: true });
}

/** What a person who hears the page is told, now or soon. */
export async function expectSaid(page: Page, text: RegExp): Promise<void> {
  await expect.poll(() => page.locator("[data-announcer]").textContent(), { timeout: 30_000 }).toMatch(text);
}

/** What axe finds that keeps people out, as `rule: places`. */
export async function seriousViolations(page: Page): Promise<readonly string[]> {
  // Through the debugger: the page's own policy allows no inline script.
  if (await page.evaluate<boolean>("globalThis.axe === undefined")) await page.evaluate(`${axe.source}; undefined`);
  const found = await page.evaluate<readonly Violation[]>(
    'axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations)',
  );
  return found
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join("; ")}`);
}

/** How far the page is wider than its window. */
export async function overflow(page: Page): Promise<number> {
  return page.evaluate("document.documentElement.scrollWidth - innerWidth");
}

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly target: readonly string[] }[];
}
