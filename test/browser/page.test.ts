import type { Page } from "playwright-core";
import { describe, expect, onTestFinished, test } from "vitest";
import { needs } from "../support/machine.ts";
import { CLIENT_TOKEN, createScriptedApi } from "./scripted-api.ts";
import { buildApproval, buildScript, HOSTILE_NAME } from "./scripted-data.ts";
import { PAGE, useScriptedPages } from "./scripted-page.ts";
import { buildQuestions, buildRun } from "./scripted-run.ts";
import { expectSaid, goTo, overflow, PANELS, rowOf, seriousViolations, whatIf } from "./walk.ts";

const PATIENCE = { timeout: 30_000 };

/** States of the page that a real Toolcrib is rarely in; `inspector.test.ts` has the real one. */
describe("the inspector's page", { ...needs("chromium") }, () => {
  const { open, empty } = useScriptedPages();

  describe("token", () => {
    test("leaves the address at once, and lasts for the tab", async () => {
      const { page, api } = await open();
      await expect.poll(() => page.url(), PATIENCE).toBe(`${api.url}#/tools`);
      await page.reload();
      await page.getByText("Live", { exact: true }).waitFor();
    });

    test("is asked for when there is none, and again when it is wrong", async () => {
      const api = await createScriptedApi(buildScript(), PAGE);
      const { page, offences, close } = await empty();
      onTestFinished(async () => {
        await close();
        await api.close();
      });
      await page.goto(api.url);
      for (const wrong of ["wrong", CLIENT_TOKEN]) {
        await page.getByLabel("Token").fill(wrong);
        await page.keyboard.press("Enter");
        // The form is new and empty.
        await expect.poll(() => page.getByLabel("Token").inputValue(), PATIENCE).toBe("");
        await page.getByRole("alert").getByText("That token is not accepted").waitFor();
      }
      await page.getByLabel("Token").fill(api.token);
      await page.getByRole("button", { name: "Open" }).click();
      await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
      expect(page.url()).not.toContain(api.token);
      expect(offences).toEqual([]);
    });

    test("is not in a link that is shared", async () => {
      const { page } = await open({ at: "#/tools?mode=plan", permissions: ["clipboard-read", "clipboard-write"] });
      // What is said last stands: the answer may come after the click.
      await expectSaid(page, /What if: /);
      await page.getByRole("button", { name: "Copy a link to this view" }).click();
      await expectSaid(page, /Copied a link/);
      const link = await page.evaluate<string>("navigator.clipboard.readText()");
      expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#\/tools\?mode=plan$/);
    });
  });

  describe("text of servers", () => {
    test("is shown and never obeyed, in every place it reaches", async () => {
      const { page, api } = await open();
      api.script.approvals = [
        buildApproval("a1", { tool: HOSTILE_NAME, description: HOSTILE_NAME, parts: [HOSTILE_NAME] }),
      ];
      api.emit("approvals");
      await rowOf(page, "weather/<img").getByText("<img src=x onerror=document.title='pwned'>").first().click();
      const details = page.getByRole("complementary");
      await details.getByText("<script>document.title='pwned'</script>").first().waitFor();
      await expect
        .poll(() => details.getByText("\\u{200b}", { exact: true }).first().getAttribute("title"), PATIENCE)
        .toContain("U+200B");
      await expect
        .poll(() => details.getByRole("heading", { level: 2 }).textContent(), PATIENCE)
        .toContain("\\u{202e}gnp.exe");
      for (const panel of PANELS) {
        await goTo(page, panel);
        expect(await page.content()).not.toContain("\u202e");
      }
      expect(await page.locator("#page :is(img, script, style, iframe)").count()).toBe(0);
      await expect.poll(() => page.title(), PATIENCE).toMatch(/^\(1\) Connect · Toolcrib$/);
    });

    test("that hides something is shown in the diff of a change", async () => {
      const { page, api } = await open({ at: "#/changes" });
      const diff = page.getByRole("region", { name: "What changed in weather/forecast" });
      await diff.getByText("\\u{202e}", { exact: true }).waitFor();
      await page.getByText("hidden-text").waitFor();
      await page.getByRole("button", { name: "Approve this definition" }).click();
      await page.getByText("All 12 pinned definitions are what was approved").waitFor();
      expect(api.posted).toEqual(["POST changes/w1/approve {}"]);
    });

    test("that changes again while it is read has to be read again", async () => {
      const { page, api } = await open({ at: "#/changes" });
      const approve = page.getByRole("button", { name: "Approve this definition" });
      await approve.waitFor();
      const [change] = api.script.changes;
      if (change === undefined) throw new Error("there is one in the script");
      api.script.changes = [{ ...change, id: "w2", diff: [{ mark: "+", text: "description: quite another one" }] }];
      api.emit("changes");
      await page.getByRole("alert").getByText("It has changed again since it was shown").waitFor();
      await page.getByText("quite another one").waitFor();
      expect(await approve.count()).toBe(0);
      await page.getByRole("button", { name: "I have read the newest one" }).click();
      expect(api.posted).toEqual([]);
      await approve.click();
      await page.getByText("All 12 pinned definitions are what was approved").waitFor();
      expect(api.posted).toEqual(["POST changes/w2/approve {}"]);
    });
  });

  describe("what-if", () => {
    test("shows in the grid what would change, keeps it in the address, and goes away", async () => {
      const { page } = await open();
      await rowOf(page, "edit").first().waitFor();
      await whatIf(page, "Mode").selectOption("plan");
      await page.getByText("3 tools change", { exact: true }).waitFor();
      const row = page.getByRole("row").filter({ has: page.getByText("edit", { exact: true }) });
      await expect.poll(() => row.textContent(), PATIENCE).toMatch(/visible now hidden/);
      await page
        .getByRole("gridcell", { name: "edit, mode: hide, was pass. it writes, and the mode is plan" })
        .waitFor();
      await expectSaid(page, /3 tools change/);
      await expect.poll(() => page.url(), PATIENCE).toContain("#/tools?mode=plan");
      await whatIf(page, "Exclude").fill("github/*, view");
      await page.getByText("9 tools change", { exact: true }).waitFor();
      await page.reload();
      await page.getByText("9 tools change", { exact: true }).waitFor();
      await expect.poll(() => whatIf(page, "Exclude").inputValue(), PATIENCE).toBe("github/*,view");
      await page.getByLabel("Show only these in the grid").check();
      await page.getByText("9 of 17 tools").waitFor();
      await page.getByRole("button", { name: "Reset" }).click();
      await page.getByText("17 tools", { exact: true }).waitFor();
      await expect.poll(() => page.url(), PATIENCE).toMatch(/#\/tools$/);
    });
  });

  test("what cannot be asked is told beside the grid as it is", async () => {
    const { page } = await open({ at: "#/tools?agent=nobody" });
    await page.getByRole("alert").getByText("there is no agent").waitFor();
    await rowOf(page, "web_fetch").getByText("visible").waitFor();
    await page.getByRole("button", { name: "Reset" }).click();
    await page.getByRole("alert").waitFor({ state: "detached" });
  });

  describe("three thousand tools", () => {
    test("are drawn as far as they are seen, and found", async () => {
      const { page } = await open({ tools: 3_000 });
      await page.getByText("3,017 tools", { exact: true }).waitFor();
      await page.getByRole("gridcell", { name: "budget holds back 2 tools" }).waitFor();
      await page.getByRole("gridcell", { name: "crm7" }).click();
      await page.getByRole("grid").getByText("crm7/record_7", { exact: true }).waitFor();
      await page.getByRole("gridcell", { name: "crm7" }).first().press("Control+End");
      await page.getByRole("gridcell", { name: "crm19" }).waitFor();
      await page.getByLabel("Filter tools").fill("crm19");
      await page.getByText("150 of 3,017 tools").waitFor();
      await page.getByRole("gridcell", { name: "crm19 mcp" }).press("Control+End");
      await page.getByText("crm19/record_2999").waitFor();
      await expect.poll(() => page.getByRole("row").count(), PATIENCE).toBeLessThan(80);
      const grid = page.getByRole("grid");
      expect(Number(await grid.getAttribute("aria-rowcount"))).toBe(152);
    });
  });

  describe("connection", () => {
    test("that is lost is said, and found again without help", async () => {
      const { page, api } = await open({ at: "#/servers" });
      api.setDown(true);
      await page.getByText("Disconnected").waitFor();
      api.script.servers = api.script.servers.slice(0, 1);
      api.setDown(false);
      await page.getByText("Live", { exact: true }).waitFor();
      await expect.poll(() => page.getByRole("heading", { level: 2 }).count(), PATIENCE).toBe(1);
    });

    test("that is lost leaves nothing to press but the way back", async () => {
      const { page, api } = await open({ at: "#/servers" });
      await page.getByRole("button", { name: "Restart github" }).waitFor();
      api.setDown(true);
      await page.getByRole("alert").getByText("nothing can be changed until it is back").waitFor();
      const buttons = page.getByRole("main").getByRole("button");
      expect(await buttons.count()).toBeGreaterThan(3);
      for (const button of await buttons.all()) expect(await button.isDisabled()).toBe(true);
      expect(await page.getByRole("button", { name: "Try now" }).isEnabled()).toBe(true);
      api.setDown(false);
      await page.getByText("Live", { exact: true }).waitFor();
      await expect.poll(() => page.getByRole("button", { name: "Restart github" }).isEnabled(), PATIENCE).toBe(true);
    });

    test("brings news without a reload, unless the list is paused", async () => {
      const { page, api } = await open({ at: "#/calls" });
      await page.getByText("3 calls").waitFor();
      await page.getByRole("button", { name: "Pause" }).click();
      const [running, ...rest] = api.script.calls;
      if (running === undefined) throw new Error("the script has calls");
      api.script.calls = [{ ...running, id: "k4", tool: "brand_new" }, running, ...rest];
      api.emit("calls");
      api.script.approvals = [buildApproval("a1")];
      api.emit("approvals");
      await page.getByRole("link", { name: "1 call waits" }).waitFor();
      expect(await page.getByText("brand_new").count()).toBe(0);
      await page.getByRole("button", { name: "Go on" }).click();
      await page.getByText("brand_new").waitFor();
      await expect
        .poll(() => page.getByRole("listitem").filter({ hasText: "brand_new" }).getByText("running").count(), PATIENCE)
        .toBe(1);
      await page.getByText("brand_new").click();
      await page.getByRole("region", { name: "Arguments of k4" }).getByText('"state": "open"').waitFor();
    });
  });

  describe("approvals", () => {
    test("are announced, counted in the title, and answered by keyboard alone", async () => {
      const { page, api } = await open();
      api.script.approvals = [buildApproval("a1"), buildApproval("a2", { tool: "create", kind: "write" })];
      api.emit("approvals");
      await expectSaid(page, /2 calls wait for your answer: bash, create/);
      await expect.poll(() => page.title(), PATIENCE).toMatch(/^\(2\) /);
      await page.getByRole("link", { name: "2 calls wait for your answer" }).press("Enter");
      const first = page.getByRole("listitem").filter({ hasText: "git push --force" }).first();
      await first.getByRole("button", { name: "Allow in this session" }).press("Enter");
      await expectSaid(page, /Allowed bash/);
      // The next one has the focus: three Tabs lead past "once" to "project", or on to the reason.
      await expect.poll(() => focused(page), PATIENCE).toBe("create");
      const second = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "create" }) });
      await second.getByLabel("Reason, which the model reads").fill("use a branch");
      await page.keyboard.press("Enter");
      await page.getByText("Nothing waits for an answer").waitFor();
      expect(api.posted).toEqual([
        'POST approvals/a1 {"decision":"allow","scope":"session"}',
        'POST approvals/a2 {"decision":"deny","reason":"use a branch"}',
      ]);
    });

    test("keep their places while others wait, so that no click meets another one than it was meant for", async () => {
      const { page, api } = await open({ at: "#/approvals" });
      const [first, second, third] = [buildApproval("a1"), buildApproval("a2"), buildApproval("a3")];
      api.script.approvals = [first, second, third];
      api.emit("approvals");
      const allow = page.getByRole("button", { name: "Allow once" });
      await expect.poll(() => allow.count(), PATIENCE).toBe(3);
      const tops = () => allow.evaluateAll((buttons) => buttons.map((button) => button.getBoundingClientRect().top));
      const before = await tops();
      api.script.approvals = [second, third];
      api.emit("approvals");
      await page.getByText("answered elsewhere, or given up").waitFor();
      expect(await tops()).toEqual(before);
      await allow.nth(1).hover();
      const there = await tops();
      await allow.nth(1).dblclick();
      await page.getByText("allowed", { exact: true }).waitFor();
      await expect.poll(() => page.evaluate("document.activeElement.tagName"), PATIENCE).toBe("H2");
      expect(await tops()).toEqual(there);
      expect(api.posted).toEqual(['POST approvals/a2 {"decision":"allow","scope":"once"}']);
      await allow.nth(2).click();
      await page.getByText("Nothing waits for an answer").waitFor();
      expect(await allow.count()).toBe(0);
    });

    test("that somebody else answered go away with a word", async () => {
      const { page, api } = await open({ at: "#/approvals" });
      api.script.approvals = [buildApproval("a1")];
      api.script.answeredFirst = ["a1"];
      api.emit("approvals");
      await page.getByRole("button", { name: "Allow once" }).click();
      await expectSaid(page, /bash was answered meanwhile/);
    });

    test("whose answer nobody can receive any more are not said to be allowed", async () => {
      const { page, api } = await open({ at: "#/approvals" });
      api.script.approvals = [buildApproval("a1"), buildApproval("a2")];
      api.script.lost = ["a1"];
      api.emit("approvals");
      await page.getByRole("button", { name: "Allow once" }).first().click();
      await expectSaid(page, /Nobody can receive the answer about bash any more, and nothing was run/);
      await page.getByText("nobody can receive it any more").waitFor();
      expect(await page.getByText("allowed", { exact: true }).count()).toBe(0);
    });
  });

  test("keys alone lead from the start to a reason and back", async () => {
    const { page } = await open();
    await rowOf(page, "merge_pull_request").waitFor();
    await page.keyboard.press("Tab");
    await expect.poll(() => focused(page), PATIENCE).toBe("Skip to content");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.evaluate("document.activeElement.id"), PATIENCE).toBe("content");
    const cell = page.getByRole("grid").locator('[tabindex="0"]');
    await expect.poll(() => cell.count(), PATIENCE).toBe(1);
    await cell.focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => cell.getAttribute("aria-expanded"), PATIENCE).toBe("false");
    await page.keyboard.press("Enter");
    for (let step = 0; step < 8; step += 1) await page.keyboard.press("ArrowDown");
    for (let step = 0; step < 3; step += 1) await page.keyboard.press("ArrowRight");
    await page.getByRole("tooltip").getByText("nobody can be asked").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("tooltip").waitFor({ state: "detached" });
    await page.keyboard.press("Enter");
    const details = page.getByRole("complementary", { name: "Details of ask_user" });
    await details.getByText("change what capability says").first().waitFor();
    await expect.poll(() => focused(page), PATIENCE).toBe("ask_user");
    await page.keyboard.press("Escape");
    await details.waitFor({ state: "detached" });
    await expect.poll(() => page.evaluate("document.activeElement.getAttribute('role')"), PATIENCE).toBe("gridcell");
  });

  test.each(["light", "dark"] as const)("keeps nobody out, in the %s theme", async (colorScheme) => {
    const { page, api } = await open({ colorScheme });
    api.script.approvals = [buildApproval("a1")];
    api.emit("approvals");
    await page.getByRole("link", { name: "1 call waits" }).waitFor();
    for (const at of [
      "#/tools?mode=plan&tool=edit",
      "#/search?q=issue",
      "#/overview",
      ...PANELS.slice(3).map((name) => `#/${name.toLowerCase()}`),
    ]) {
      await page.goto(`${api.url}${at}`);
      await page.getByRole("heading", { level: 2 }).or(page.getByRole("listitem").nth(8)).first().waitFor();
      expect({ at, violations: await seriousViolations(page) }).toEqual({ at, violations: [] });
    }
  });

  test("shows servers that need somebody first", async () => {
    const { page } = await open({ at: "#/servers" });
    await page.getByRole("heading", { level: 2, name: "postgres" }).waitFor();
    const names = await page.getByRole("main").getByRole("heading", { level: 2 }).allTextContents();
    expect(names).toEqual(["postgres", "jira", "github", "weather"]);
  });

  test("lets a changed definition be rejected, or its server be turned off", async () => {
    const { page, api } = await open({ at: "#/changes" });
    await page.getByRole("button", { name: "Reject weather/forecast" }).click();
    await expect.poll(() => api.posted.at(-1), PATIENCE).toContain("POST tools/weather%2Fforecast/off");
    await page.getByRole("button", { name: "Turn off server weather" }).click();
    await expect.poll(() => api.posted.at(-1), PATIENCE).toContain("POST servers/weather/off");
  });

  test("a form of a server is filled in, and everybody can use a run", async () => {
    const { page, api } = await open();
    [api.script.runs, api.script.questions] = [[buildRun()], buildQuestions()];
    api.emit("approvals");
    await page.goto(`${api.url}#/runs?run=r1`);
    await page.getByText("Where do you live?").waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByLabel("street").fill("Main Street");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await expect
      .poll(() => api.posted.at(-1), PATIENCE)
      .toBe('POST questions/q3 {"action":"accept","content":{"street":"Main Street"}}');
    await page.getByText("Where do you live?").waitFor({ state: "detached" });
  });

  test("a refused change of the configuration is on the overview until it is mended", async () => {
    const { page, api } = await open({ at: "#/overview" });
    const say = (refused: string | null): void => {
      api.script.overview = { ...api.script.overview, refused };
      api.emit("overview");
    };
    say('toolcrib.yaml:6: unknown key "foo"');
    const note = page.getByRole("alert").filter({ hasText: 'toolcrib.yaml:6: unknown key "foo"' });
    await note.waitFor();
    expect(await note.textContent()).toContain("the previous one stays");
    expect(await seriousViolations(page)).toEqual([]);
    say(null);
    await note.waitFor({ state: "detached" });
  });

  test("in front of an app nothing can be changed or answered", async () => {
    const { page, api } = await open();
    api.script.overview = { ...api.script.overview, isApp: true, endpoint: null };
    [api.script.approvals, api.script.questions] = [[buildApproval("a1")], buildQuestions()];
    for (const topic of ["overview", "approvals"]) api.emit(topic);
    await page.getByRole("link", { name: "Connect" }).waitFor({ state: "detached" });
    const links = await page.getByRole("navigation", { name: "Panels" }).getByRole("link").allInnerTexts();
    expect(links.map((text) => text.split("\n")[0])).toEqual([
      "Overview",
      "Tools",
      "Search",
      "Servers",
      "Runs",
      "Calls",
      "Approvals",
    ]);
    await goTo(page, "Approvals");
    await page.getByText("The app answers this itself.").waitFor();
    await page.getByText("Where do you live?").waitFor();
    expect(await page.getByRole("main").getByRole("button").count()).toBe(0);
    await page.goto(`${api.url}#/tools?tool=bash`);
    await page.getByRole("heading", { name: "Why" }).waitFor();
    expect(await page.getByRole("heading", { name: "Try it" }).count()).toBe(0);
    expect(await page.getByRole("form", { name: "What if" }).count()).toBe(0);
    expect(await seriousViolations(page)).toEqual([]);
  });

  test.each([360, 768])("fits a window of %i pixels", async (width) => {
    const { page, api } = await open({ viewport: { width, height: 740 } });
    api.script.approvals = [buildApproval("a1")];
    [api.script.runs, api.script.questions] = [[buildRun()], buildQuestions()];
    api.emit("approvals");
    await goTo(page, "Runs");
    await page.getByRole("button", { name: /Tidy up/ }).click();
    await page.getByRole("navigation", { name: "Agents" }).waitFor();
    expect(await overflow(page)).toBe(0);
    for (const panel of PANELS) {
      await goTo(page, panel);
      expect({ panel, by: await overflow(page) }).toEqual({ panel, by: 0 });
    }
    await goTo(page, "Tools");
    await rowOf(page, "ask_user").getByText("nobody can be asked").click();
    await page.getByRole("button", { name: "Close details" }).click();
  });

  test("a mistake of ours says so instead of leaving an empty page", async () => {
    const api = await createScriptedApi(
      { ...buildScript(), servers: JSON.parse('[{ "state": null, "stderr": 5 }]') },
      PAGE,
    );
    const { page, close } = await empty();
    onTestFinished(async () => {
      await close();
      await api.close();
    });
    await page.goto(`${api.url}#/servers?token=${api.token}`);
    await page.getByRole("alert").getByRole("button", { name: "Load again" }).waitFor();
  });

  test("says calmly that sessions cannot be kept, and what to install", async () => {
    const { page, api } = await open();
    api.script.noStore = "this Node has no SQLite: install the package libsql";
    await goTo(page, "Sessions");
    await page.getByText("Sessions are not kept here: this Node has no SQLite: install the package libsql.").waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  test("goes through its themes and remembers", async () => {
    const { page } = await open({ colorScheme: "light" });
    const paper = () => page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
    const light = await paper();
    await page.getByRole("button", { name: "Theme: auto. Change to light" }).click();
    await page.getByRole("button", { name: "Theme: light. Change to dark" }).click();
    await page.getByRole("button", { name: "Theme: dark" }).waitFor();
    await expect.poll(paper, PATIENCE).not.toBe(light);
    await page.reload();
    await page.getByRole("button", { name: "Theme: dark" }).waitFor();
    await expect.poll(paper, PATIENCE).not.toBe(light);
  });

  test("saves the world of the scene that is looked at", async () => {
    const { page } = await open({ at: "#/tools?exclude=view" });
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "World file" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("toolcrib-world.json");
  });
});

function focused(page: Page): Promise<string> {
  return page.evaluate("document.activeElement.textContent");
}
