import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { ensureBuilt, runBuilt } from "../e2e/built-cli.ts";
import { HAS_NO_BROWSER, launchBrowser, type SharedBrowser } from "./browser.ts";
import { openToolcrib, type RealToolcrib } from "./real-toolcrib.ts";
import { expectSaid, goTo, rowOf, whatIf } from "./walk.ts";

/** The page in front of a real Toolcrib with a real server and the official client. */
describe.skipIf(HAS_NO_BROWSER)("the inspector", { timeout: 60_000 }, () => {
  let browser: SharedBrowser;
  beforeAll(async () => {
    ensureBuilt();
    browser = await launchBrowser();
  }, 180_000);
  afterAll(() => browser?.close());

  async function open(given: Parameters<typeof openToolcrib>[0] = {}): Promise<{ page: Page; toolcrib: RealToolcrib }> {
    const toolcrib = await openToolcrib(given);
    const { page, offences, close } = await browser.open();
    onTestFinished(async () => {
      await close();
      expect(offences).toEqual([]);
    });
    await page.goto(toolcrib.link);
    await page.getByText("Live", { exact: true }).waitFor();
    return { page, toolcrib };
  }

  test("shows the tools of a run with every gate, and why one is missing", async () => {
    const { page } = await open({ project: "excludeTools:\n  - town/send_mail\n" });
    await rowOf(page, "town__forecast").getByText("visible").waitFor();
    const cell = page.getByRole("gridcell", { name: /^town__send_mail, filter: hide/ });
    await cell.hover();
    await page.getByRole("tooltip").getByText('excluded by "town/send_mail"').waitFor();
    await page.getByRole("tooltip").getByText("toolcrib.yaml:2").waitFor();
    await cell.click();
    const details = page.getByRole("complementary", { name: "Details of town__send_mail" });
    await details.getByText("filter.excluded").waitFor();
    await details.getByText("Change:").waitFor();
    await details.getByText("Sends a letter to the town hall.").waitFor();
    await details.getByRole("region", { name: "Input schema" }).getByText('"place"').first().waitFor();
  });

  test("answers a what-if in the grid, and saves it as a world that the command line reads", async () => {
    const { page } = await open();
    await rowOf(page, "town__forecast").waitFor();
    await whatIf(page, "Exclude").fill("town/forecast");
    await page.getByText("1 tool changes", { exact: true }).waitFor();
    expect(await rowOf(page, "town__forecast").textContent()).toContain("visible now hidden");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "World file" }).click(),
    ]);
    const { out } = await runBuilt(["list", "--json", "--world", await download.path()]);
    const { tools } = JSON.parse(out) as { tools: { name: string; standing: string }[] };
    expect(tools.find(({ name }) => name === "town__forecast")?.standing).toBe("hidden");
    expect(tools.find(({ name }) => name === "view")?.standing).toBe("visible");
    await page.getByRole("button", { name: "Reset" }).click();
    await rowOf(page, "town__forecast").getByText("visible", { exact: true }).waitFor();
  });

  test("finds tools as a model would, with scores", async () => {
    const { page } = await open();
    await goTo(page, "Search");
    await page.getByRole("searchbox").fill("weather of the next days");
    const first = page.getByRole("main").getByRole("listitem").first();
    await first.getByText("town__forecast").waitFor();
    expect(await first.textContent()).toMatch(/\d\.\d\d/);
    await first.getByRole("link").click();
    await page.getByRole("complementary", { name: "Details of town__forecast" }).waitFor();
  });

  test("lets a waiting call of a client go on when a person allows it, and tells how it went", async () => {
    const { page, toolcrib } = await open({ config: { permissions: { ask: ["town/send_mail"] } } });
    const client = await toolcrib.connect("letter-writer");
    const calling = client.callTool({ name: "town__send_mail", arguments: { place: "the mayor" } });
    calling.catch(() => {});
    await expectSaid(page, /1 call waits for your answer: town__send_mail/);
    await expect.poll(() => page.title()).toBe("(1) Tools · Toolcrib");
    await page.getByRole("link", { name: "1 call waits for your answer" }).click();
    await page.getByText('"the mayor"').first().waitFor();
    await page.getByText("asked by letter-writer").waitFor();
    await page.getByRole("button", { name: "Allow once" }).click();
    expect(await calling).toMatchObject({ content: [{ type: "text", text: "Sent to the mayor" }] });
    await page.getByText("Nothing waits for an answer").waitFor();
    await goTo(page, "Calls");
    const call = page.getByRole("main").getByRole("listitem").filter({ hasText: "town__send_mail" });
    await call.getByText("success").waitFor();
    await call.getByText("town__send_mail").click();
    await call.getByText("the inspector").first().waitFor();
    await call.getByText("Sent to the mayor").waitFor();
    await goTo(page, "Connect");
    await page.getByRole("row").filter({ hasText: "letter-writer" }).waitFor();
  });

  test("denies with a reason that the client reads", async () => {
    const { page, toolcrib } = await open({ config: { permissions: { ask: ["town/*"] } } });
    const client = await toolcrib.connect("letter-writer");
    const calling = client.callTool({ name: "town__forecast", arguments: { place: "Rome" } });
    calling.catch(() => {});
    await goTo(page, "Approvals");
    await page.getByLabel("Reason, which the model reads").fill("Ask about Paris instead");
    await page.getByRole("button", { name: "Deny" }).click();
    const { isError, content } = await calling;
    expect(isError).toBe(true);
    expect(JSON.stringify(content)).toContain("Ask about Paris instead");
  });

  test("restarts a server, and shows what it wrote", async () => {
    const { page } = await open();
    await goTo(page, "Servers");
    const card = page.getByRole("main").getByRole("listitem").filter({ hasText: "town" }).first();
    await card.getByText("connected").waitFor();
    await card.getByText("What it wrote to stderr").click();
    const tail = card.getByRole("region", { name: "stderr of town" });
    const before = await tail.textContent();
    expect(before).toMatch(/town started as \d+/);
    await card.getByRole("button", { name: "Restart town" }).click();
    await expectSaid(page, /Restarted town/);
    await expect.poll(() => tail.textContent(), { timeout: 15_000 }).not.toBe(before);
    await card.getByText("connected").waitFor();
  });

  test("shows a definition that changed since it was approved, and lets calls run again once it is approved", async () => {
    const pin = async ({ cwd, env }: RealToolcrib["machine"]) => {
      const { status, err } = await runBuilt(["pin", "--yes"], { cwd, env });
      expect({ status, err }).toMatchObject({ status: 0 });
    };
    const { page, toolcrib } = await open({ config: { permissions: { allow: ["town/*"] } }, prepare: pin });
    const client = await toolcrib.connect("letter-writer");
    const ask = () => client.callTool({ name: "town__forecast", arguments: { place: "Rome" } });
    expect(await ask()).toMatchObject({ content: [{ text: "Sunny in Rome" }] });
    toolcrib.redefine("Tells the weather\u200b, and wants to know your street.");
    await goTo(page, "Servers");
    await page.getByRole("button", { name: "Restart town" }).click();
    await expectSaid(page, /Restarted town/);
    await goTo(page, "Changes");
    const card = page.getByRole("main").getByRole("listitem").filter({ hasText: "town/forecast" }).first();
    await card.getByText("wants to know your street").first().waitFor();
    await card.getByText("Tells the weather of the next days.").first().waitFor();
    expect(await card.textContent()).toMatch(/u\{200b\}|U\+200B/i);
    await expect
      .poll(async () => JSON.stringify(await ask().catch(String)), { timeout: 15_000 })
      .toMatch(/changed|Unknown tool/);
    await card.getByRole("button", { name: "Approve this definition" }).click();
    await page.getByText("Every definition is what was approved").waitFor();
    await expect
      .poll(async () => JSON.stringify(await ask().catch(String)), { timeout: 15_000 })
      .toContain("Sunny in Rome");
  });

  test("shows hostile words of a server and its results as words", async () => {
    const { page, toolcrib } = await open({ config: { permissions: { allow: ["town/*"] } } });
    const client = await toolcrib.connect("<b>client</b>");
    await client.callTool({ name: "town__forecast", arguments: { place: "<script>document.title='pwned'</script>" } });
    await page.getByRole("grid").getByText("town__notices", { exact: true }).click();
    const details = page.getByRole("complementary");
    await details.getByText("<img src=x onerror=").first().waitFor();
    await details.getByText("\\u{202e}").first().waitFor();
    await goTo(page, "Calls");
    await page.getByText("town__forecast", { exact: true }).click();
    await page.getByText("Sunny in <script>document.title='pwned'</script>").waitFor();
    await goTo(page, "Connect");
    await page.getByRole("row").filter({ hasText: "<b>client</b>" }).waitFor();
    expect(await page.locator("#page :is(img, script, style, b, i)").count()).toBe(0);
    expect(await page.title()).toBe("Connect · Toolcrib");
  });
});
