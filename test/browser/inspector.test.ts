import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { needs } from "../support/machine.ts";
import { runCli } from "../support/run-cli.ts";
import { runHere } from "../support/running-up.ts";
import { type RealToolcrib, usePages } from "./real-toolcrib.ts";
import { expectSaid, goTo, rowOf, whatIf } from "./walk.ts";

const HELLO = "replies:\n  - text: Hello Ada.\n";
const PATIENCE = { timeout: 30_000 };

/** The page in front of `toolcrib up` with a real server and the official client. */
describe("the inspector", { ...needs("chromium") }, () => {
  const open = usePages();

  test("shows every tool with every gate, why one is missing, what would change it, and what a search finds", async () => {
    const { page } = await open({ project: "excludeTools:\n  - town/send_mail\n" });
    await rowOf(page, "town/forecast").getByText("visible").waitFor();
    const cell = page.getByRole("gridcell", { name: /^town\/send_mail, filter: hide/ });
    await cell.hover();
    const tip = page.getByRole("tooltip");
    await tip.getByText('excluded by "town/send_mail"').waitFor();
    await tip.getByText("toolcrib.yaml:2").waitFor();
    await cell.click();
    const details = page.getByRole("complementary", { name: "Details of town/send_mail" });
    await details.getByText("filter.excluded").waitFor();
    await details.getByText("Change:").waitFor();
    await details.getByText("Sends a letter to the town hall.").waitFor();
    await details.getByRole("region", { name: "Input schema" }).getByText('"place"').first().waitFor();
    await page.getByRole("button", { name: "Close details" }).click();

    await whatIf(page, "Exclude").fill("town/forecast");
    await page.getByText("1 tool changes", { exact: true }).waitFor();
    await expect.poll(() => rowOf(page, "town/forecast").textContent(), PATIENCE).toContain("visible now hidden");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "World file" }).click(),
    ]);
    const { out } = await runCli(["list", "--json", "--world", await download.path()]);
    // The document of `list --json`.
    const { tools } = JSON.parse(out) as { tools: readonly { name: string; standing: string }[] };
    const standings = new Map(tools.map(({ name, standing }) => [name, standing]));
    expect([standings.get("town__forecast"), standings.get("view")]).toEqual(["hidden", "visible"]);
    await page.getByRole("button", { name: "Reset" }).click();
    await rowOf(page, "town/forecast").getByText("visible", { exact: true }).waitFor();

    await goTo(page, "Search");
    await page.getByRole("searchbox").fill("weather of the next days");
    const first = page.getByRole("main").getByRole("listitem").first();
    await first.getByText("town/forecast").waitFor();
    await expect.poll(() => first.textContent(), PATIENCE).toMatch(/\d\.\d\d/);
    await first.getByRole("link").click();
    await page.getByRole("complementary", { name: "Details of town/forecast" }).waitFor();
  });

  test("lets waiting calls of a client go on when a person answers, and tells how they went", async () => {
    const { page, toolcrib } = await open({ config: { permissions: { ask: ["town/*"] } } });
    const client = await toolcrib.connect("letter-writer");
    const call = (name: string, place: string) => {
      const calling = client.callTool({ name, arguments: { place } });
      // Awaited below; a test that fails before must not fail twice.
      calling.catch(() => {});
      return calling;
    };
    const mail = call("town__send_mail", "the mayor");
    await expectSaid(page, /1 call waits for your answer: town\/send_mail/);
    await expect.poll(() => page.title(), PATIENCE).toBe("(1) Tools · Toolcrib");
    await goTo(page, "Calls");
    const waiting = page.getByRole("main").getByRole("listitem").filter({ hasText: "town/send_mail" });
    await waiting.getByText("waiting").waitFor();
    expect(await waiting.textContent()).not.toContain("null");
    await page.getByRole("link", { name: "1 call waits for your answer" }).click();
    await page.getByText('"the mayor"').first().waitFor();
    await page.getByText("asked by letter-writer").waitFor();
    await page.getByRole("button", { name: "Allow once" }).click();
    expect(await mail).toMatchObject({ content: [{ type: "text", text: "Sent to the mayor" }] });
    await page.getByText("Nothing waits for an answer").waitFor();

    const forecast = call("town__forecast", "Rome");
    await page.getByLabel("Reason, which the model reads").fill("Ask about Paris instead");
    await page.getByRole("button", { name: "Deny" }).click();
    const { isError, content } = await forecast;
    expect({ isError, content: JSON.stringify(content) }).toEqual({
      isError: true,
      content: expect.stringContaining("Ask about Paris instead"),
    });

    await goTo(page, "Calls");
    const logged = (tool: string) => page.getByRole("main").getByRole("listitem").filter({ hasText: tool });
    const sent = logged("town/send_mail");
    await sent.getByText("success").waitFor();
    await sent.getByText("town/send_mail", { exact: true }).click();
    await sent.getByText("the inspector").first().waitFor();
    await sent.getByText("Sent to the mayor").waitFor();
    await logged("town/forecast").getByText("Rome").first().waitFor();
    await goTo(page, "Connect");
    await page.getByRole("row").filter({ hasText: "letter-writer" }).waitFor();
    await page.getByText(/^claude mcp add toolcrib -- .*connect$/).waitFor();
    await page
      .getByText(/Bearer/)
      .first()
      .waitFor({ state: "hidden" });
    await page.getByText("Over HTTP, with a token").click();
    await page
      .getByText(/Bearer •+/)
      .first()
      .waitFor();
    await goTo(page, "Tools");
    await whatIf(page, "As seen by").selectOption({ label: "letter-writer" });
    await expect.poll(() => page.url(), PATIENCE).toMatch(/#\/tools\?client=/);
    await rowOf(page, "town/forecast").getByText("visible").waitFor();
  });

  test("shows what happened in a kept session, and which tools it had then and why not others", async () => {
    const keep = async ({ cwd, env }: RealToolcrib["machine"]) => {
      const { status } = await runHere(["run", "I am Ada", "--model", "scripted:hello.yaml", "--keep"], { cwd, env });
      expect(status).toBe(0);
    };
    const { page } = await open({
      project: "excludeTools:\n  - bash\n",
      files: { "hello.yaml": HELLO },
      prepare: keep,
    });
    await goTo(page, "Sessions");
    await page.getByRole("button", { name: /I am Ada/ }).click();
    const said = page.getByRole("main").getByRole("listitem").filter({ hasText: "Hello Ada." });
    await said.getByText("Hello Ada.").first().click();
    await said.getByRole("button", { name: /Tools at event/ }).click();
    const then = page.getByRole("region", { name: /Tools at event/ });
    await then.getByRole("searchbox").fill("bash");
    await then.getByText('excluded by "bash"').waitFor();
    await then.getByText("toolcrib.yaml:2").waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Markdown" }).click(),
    ]);
    expect(readFileSync(await download.path(), "utf8")).toContain("> I am Ada");
  });

  test("restarts a server, shows that a definition changed, and lets it be called once it is approved", async () => {
    const pin = async ({ cwd, env }: RealToolcrib["machine"]) => {
      const { status, out, err } = await runHere(["pin", "--yes"], { cwd, env });
      expect({ status, out, err }).toMatchObject({ status: 0 });
    };
    const { page, toolcrib } = await open({ config: { permissions: { allow: ["town/*"] } }, prepare: pin });
    const client = await toolcrib.connect("letter-writer");
    const ask = async () => {
      const answer = await client.callTool({ name: "town__forecast", arguments: { place: "Rome" } }).catch(String);
      return JSON.stringify(answer);
    };
    await expect.poll(ask, PATIENCE).toContain("Sunny in Rome");
    await goTo(page, "Servers");
    const server = page.getByRole("main").getByRole("listitem").filter({ hasText: "town" }).first();
    await server.getByText("connected").waitFor();
    await server.getByText("Details of town").click();
    const tail = server.getByRole("region", { name: "stderr of town" });
    const before = await tail.textContent();
    expect(before).toMatch(/town started as \d+/);
    toolcrib.redefine("Tells the weather\u200b, and wants to know your street.");
    await server.getByRole("button", { name: "Restart town" }).click();
    await expectSaid(page, /Restarted town/);
    await expect.poll(() => tail.textContent(), PATIENCE).not.toBe(before);

    await goTo(page, "Changes");
    const change = page.getByRole("main").getByRole("listitem").filter({ hasText: "town/forecast" }).first();
    await change.getByText("wants to know your street").first().waitFor();
    await change.getByText("Tells the weather of the next days.").first().waitFor();
    await expect.poll(() => change.textContent(), PATIENCE).toMatch(/u\{200b\}|U\+200B/i);
    await expect.poll(ask, PATIENCE).toMatch(/changed|Unknown tool/);
    await change.getByRole("button", { name: "Approve this definition" }).click();
    await expectSaid(page, /Approved town\/forecast/);
    await change.waitFor({ state: "detached" });
    await expect.poll(ask, PATIENCE).toContain("Sunny in Rome");
  });

  test("shows hostile words of a server, a client and a result as words", async () => {
    const { page, toolcrib } = await open({ config: { permissions: { allow: ["town/*"] } } });
    const client = await toolcrib.connect("<b>client</b>");
    const place = "<script>document.title='pwned'</script>";
    await client.callTool({ name: "town__forecast", arguments: { place: `${place}\u{e0041}` } });
    await page.getByRole("grid").getByText("town/notices", { exact: true }).click();
    const details = page.getByRole("complementary");
    await details.getByText("<img src=x onerror=").first().waitFor();
    await details.getByText("\\u{202e}").first().waitFor();
    await goTo(page, "Calls");
    await page.getByText("town/forecast", { exact: true }).click();
    await page.getByText(`Sunny in ${place}`, { exact: true }).waitFor();
    await page.getByText("1 hidden character or sequence was taken out of the text").waitFor();
    await goTo(page, "Connect");
    const row = page.getByRole("row").filter({ hasText: "<b>client</b>" });
    await row.getByText("gets every tool while definitions are small enough (not a known client)").waitFor();
    expect(await page.locator("#page :is(img, script, style, b, i)").count()).toBe(0);
    await expect.poll(() => page.title(), PATIENCE).toBe("Connect · Toolcrib");
  });
});
