import type { Locator } from "playwright-core";
import { describe, expect, test } from "vitest";
import { needs } from "../support/machine.ts";
import { buildApproval } from "./scripted-data.ts";
import { useScriptedPages } from "./scripted-page.ts";
import { goTo, overflow, rowOf, seriousViolations } from "./walk.ts";

const PATIENCE = { timeout: 30_000 };
const NARROW = { width: 400, height: 800 };

/** What people meet on the page after the first minute, at the sizes at which they look. */
describe("the inspector's page, looked at again", { ...needs("chromium") }, () => {
  const { open } = useScriptedPages();

  test("before the first call it says what to do next, and no zeros", async () => {
    const { page, api } = await open({ at: "#/overview" });
    await page.getByRole("heading", { name: "By tool" }).waitFor();
    expect(await page.getByRole("heading", { name: "First steps" }).count()).toBe(0);
    api.script.usage = { ...api.script.usage, total: { ...api.script.usage.total, calls: 0 } };
    api.script.overview = { ...api.script.overview, clients: [], pinned: null };
    for (const topic of ["overview", "calls"]) api.emit(topic);
    const steps = page.getByRole("region", { name: "First steps" });
    await steps.getByText("1 of 4 servers does not work").waitFor();
    await steps.getByText("claude mcp add toolcrib -- toolcrib connect").waitFor();
    expect(await steps.getByRole("heading", { level: 3 }).allTextContents()).toEqual([
      "Have servers",
      "See what a model gets",
      "Connect a client",
      "Pin what the tools say",
      "Make a call",
    ]);
    expect(await page.getByText("0", { exact: true }).count()).toBe(1);
    expect(await seriousViolations(page)).toEqual([]);
    await steps.getByRole("link", { name: "Tools" }).click();
    await rowOf(page, "web_fetch").waitFor();
  });

  test("tools show whole names, descriptions to read, and the gates that decide something; the others on demand", async () => {
    const { page } = await open({ viewport: { width: 1280, height: 800 } });
    const row = rowOf(page, "github/merge_pull_request");
    await row.getByText("merge pull request on GitHub.").waitFor();
    expect(await isWhole(row.getByText("github/merge_pull_request"))).toBe(true);
    expect(await isWhole(row.getByText("merge pull request on GitHub."))).toBe(true);
    const heads = page.getByRole("columnheader");
    expect((await heads.allTextContents()).slice(3)).toEqual(["capability", "model", "deny-rule", "trust", "budget"]);
    await page.getByLabel("All 15 gates").check();
    await expect.poll(() => heads.count(), PATIENCE).toBe(18);
    expect(await seriousViolations(page)).toEqual([]);
  });

  test.each([true, false])(
    "the column that hides a tool stays in view beside its details (all gates: %s)",
    async (all) => {
      const { page } = await open({ viewport: { width: 1280, height: 800 } });
      if (all) await page.getByLabel("All 15 gates").check();
      await page.goto(`${page.url()}?tool=github__merge_pull_request`);
      const details = page.getByRole("complementary");
      await details.getByText("denied by mcp__github__merge_*").waitFor();
      const cell = page.getByRole("gridcell", { name: "github/merge_pull_request, deny-rule: hide" });
      const right = async (of: Locator, edge: "left" | "right") => {
        const box = await of.boundingBox();
        return (box?.x ?? Number.NaN) + (edge === "right" ? (box?.width ?? 0) : 0);
      };
      await expect
        .poll(async () => (await right(cell, "right")) <= (await right(details, "left")) + 1, PATIENCE)
        .toBe(true);
      const name = page.getByRole("gridcell", { name: "github/merge_pull_request" }).first();
      expect(await right(cell, "left")).toBeGreaterThanOrEqual((await right(name, "right")) - 1);
    },
  );

  test("in the details the description comes before the form, whose line breaks are line breaks and nothing else", async () => {
    const { page } = await open({ at: "#/tools?tool=view" });
    const details = page.getByRole("complementary");
    await details.getByRole("form", { name: "Try it" }).waitFor();
    const regions = await details
      .getByRole("region")
      .or(details.getByRole("form"))
      .evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
    expect(regions.indexOf("Description")).toBeLessThan(regions.indexOf("Try it"));
    const field = details.getByRole("form", { name: "Try it" }).getByText(/^The file to read/);
    expect(await textOf(field)).toBe("The file to read.\nRelative to the\tworkspace\\u{200b}.");
    expect(await field.locator(".escaped").allTextContents()).toEqual(["\\u{200b}"]);
  });

  test("every server has details: its command or address, file and line, and which MCP it speaks", async () => {
    const { page } = await open({ at: "#/servers" });
    const detailsOf = async (name: string) => {
      const server = page
        .getByRole("main")
        .getByRole("listitem")
        .filter({ has: page.getByRole("heading", { name }) });
      await server.getByText(`Details of ${name}`).click();
      return textOf(server.getByRole("group"));
    };
    expect(await detailsOf("github")).toMatch(
      /Address\s+https:\/\/github\.example\/mcp\s+Set in\s+toolcrib\.yaml:4\s+Protocol\s+MCP since/,
    );
    expect(await detailsOf("weather")).toMatch(
      /Command\s+npx -y weather-mcp\s+Set in\s+toolcrib\.yaml:7\s+Protocol\s+MCP until/,
    );
    expect(await detailsOf("postgres")).toMatch(
      /node pg\.mjs --readonly[\s\S]*Next: set DATABASE_URL[\s\S]*DATABASE_URL is not set/,
    );
    expect(await detailsOf("jira")).toContain("toolcrib.yaml:15");
    expect(await page.getByText("legacy").count()).toBe(0);
    const colourOf = (what: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('${what}')).color`);
    expect(await colourOf('[aria-label="Turn off github"]')).not.toBe(await colourOf(".badge.tone-bad"));
    expect(await seriousViolations(page)).toEqual([]);
  });

  test("an approval of a server's tool says who would do what with which arguments, and the rule once", async () => {
    const { page, api } = await open({ at: "#/approvals" });
    const call = { path: "plan.md", content: "# Plan\n- read", mode: 7 };
    const suggestions = [{ rule: "files/write_file", text: "files/write_file" }];
    const server = { kind: "mcp", server: "files", parts: [], suggestions };
    api.script.approvals = [buildApproval("a1", { tool: "files/write_file", arguments: call, ...server })];
    api.emit("approvals");
    const card = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "files/write_file" }) });
    await card.getByText("The server files would run write_file with:").waitFor();
    expect(await textOf(card.getByLabel("Arguments of files/write_file"))).toMatch(
      /path\s+"plan\.md"\s+content\s+# Plan\n- read\s+mode\s+7/,
    );
    const kept = card.getByText("Kept if you allow more than this once:").locator("..");
    expect((await textOf(kept)).match(/files\/write_file/g)).toHaveLength(1);
    expect(await seriousViolations(page)).toEqual([]);
  });

  test("a run without a model is calm about it: what is in reach is one click, the rest is folded", async () => {
    const { page } = await open({ at: "#/runs" });
    const form = page.getByRole("form", { name: "Start a run" });
    await form.getByText("No model is chosen").waitFor();
    expect(await form.locator(".note").count()).toBe(0);
    expect(await form.getByText("ANTHROPIC_API_KEY").isVisible()).toBe(false);
    await form.getByText("Other ways").click();
    await form.getByText("ANTHROPIC_API_KEY").waitFor();
    await form.getByRole("button", { name: "openai/…" }).click();
    await expect.poll(() => form.getByLabel("Model").inputValue(), PATIENCE).toBe("openai/");
    expect(await seriousViolations(page)).toEqual([]);
  });

  test("at 400 pixels the panels show that there are more, at each end where there are", async () => {
    const { page } = await open({ viewport: NARROW, at: "#/overview" });
    const nav = page.getByRole("navigation", { name: "Panels" });
    const more = (side: "start" | "end") => nav.locator(`.more-${side}`);
    await more("end").waitFor();
    expect(await more("start").count()).toBe(0);
    await more("end").click();
    await more("start").waitFor();
    await goTo(page, "Connect");
    await more("end").waitFor({ state: "detached" });
    await page.setViewportSize({ width: 1280, height: 800 });
    await more("start").waitFor({ state: "hidden" });
  });

  test.each(["Overview", "Connect"] as const)(
    "at 400 pixels no table of %s is cut, and each value has its name",
    async (panel) => {
      const { page } = await open({ viewport: NARROW });
      await goTo(page, panel);
      await page.getByRole("table").first().waitFor();
      const cells = await page.getByRole("cell").or(page.getByRole("rowheader")).all();
      expect(cells.length).toBeGreaterThan(9);
      for (const cell of cells) {
        const { x, width } = (await cell.boundingBox()) ?? { x: Number.NaN, width: 0 };
        expect([x >= 0, x + width <= NARROW.width]).toEqual([true, true]);
      }
      const names = await page.evaluate<readonly string[]>(
        "[...document.querySelectorAll('td')].map((cell) => getComputedStyle(cell, '::before').content)",
      );
      expect(names.every((name) => /^"[A-Z9]/.test(name))).toBe(true);
      expect(await overflow(page)).toBe(0);
      expect(await seriousViolations(page)).toEqual([]);
    },
  );
});

/** Nothing of its text is cut off. */
function isWhole(text: Locator): Promise<boolean> {
  return text.evaluate((element) => {
    const box = element.closest(".cut") ?? element;
    return box.scrollWidth <= box.clientWidth + 1;
  });
}

/** As it is laid out, with its line breaks. */
async function textOf(element: Locator): Promise<string> {
  return (await element.allInnerTexts()).join("\n");
}
