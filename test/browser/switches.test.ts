import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { needs } from "../support/machine.ts";
import { type RealToolcrib, usePages } from "./real-toolcrib.ts";
import { expectSaid, goTo, rowOf } from "./walk.ts";

const PATIENCE = { timeout: 30_000 };

/** What a person changes on the page, in front of a real `toolcrib up` with a real server. */
describe("the inspector's switches", { ...needs("chromium") }, () => {
  const open = usePages();
  const localFile = ({ machine }: RealToolcrib) => readFileSync(join(machine.cwd, "toolcrib.local.yaml"), "utf8");

  test("a tool and a server are turned off and on by the line that is shown", async () => {
    const { page, toolcrib } = await open();
    await rowOf(page, "town/forecast").getByText("visible").waitFor();
    await rowOf(page, "town/forecast").getByText("town/forecast").click();
    const details = page.getByRole("complementary");
    await details.getByRole("button", { name: "Turn off town/forecast" }).click();
    await details.getByText("Wrote excludeTools: town/forecast to toolcrib.local.yaml:2").waitFor();
    expect(localFile(toolcrib)).toBe("excludeTools:\n  - town/forecast\n");
    await expect.poll(() => rowOf(page, "town/forecast").textContent(), PATIENCE).toContain("hidden");
    await details.getByRole("button", { name: "Turn on town/forecast" }).click();
    await expect.poll(() => rowOf(page, "town/forecast").textContent(), PATIENCE).toContain("visible");
    expect(localFile(toolcrib)).toBe("");

    await goTo(page, "Servers");
    await page.getByRole("button", { name: "Turn off town" }).click();
    await page
      .getByRole("list", { name: /^Servers/ })
      .getByText("Wrote disabledServers: town to toolcrib.local.yaml:2")
      .waitFor();
    await page.getByRole("button", { name: "Turn on town" }).waitFor(PATIENCE);
    await page.getByRole("button", { name: "Turn on town" }).click();
    await page.getByRole("button", { name: "Turn off town" }).waitFor(PATIENCE);
  });

  test("what another file turns off says so instead of pretending", async () => {
    const { page } = await open({ project: "excludeTools:\n  - town/forecast\n" });
    await rowOf(page, "town/forecast").getByText("hidden").waitFor();
    await rowOf(page, "town/forecast").getByText("town/forecast").click();
    await page.getByRole("button", { name: "Turn on town/forecast" }).click();
    await page.getByRole("alert").getByText("something else keeps it off").waitFor();
  });

  test("a tool is tried with a form, and the overview counts the call", async () => {
    const { page } = await open({ config: { permissions: { allow: ["town/forecast"] } } });
    await rowOf(page, "town/forecast").getByText("visible").waitFor();
    await rowOf(page, "town/forecast").getByText("town/forecast").click();
    const form = page.getByRole("form", { name: "Try it" });
    await form.getByLabel("place").fill("Ulm");
    await form.getByRole("button", { name: "Run it" }).click();
    await form.getByText("success").waitFor();
    await form.getByRole("region", { name: "Result" }).getByText("Ulm").waitFor();
    await expectSaid(page, /town\/forecast: success/);
    await goTo(page, "Overview");
    const row = page.getByRole("region", { name: "By tool", exact: true }).getByRole("row", { name: /town\/forecast/ });
    await expect.poll(() => row.textContent(), PATIENCE).toMatch(/town\/forecast1/);
  });

  test("with no lock the page says that nothing is pinned as soon as a server is there, and pins everything with one button", async () => {
    const { page, toolcrib } = await open({ startsAfter: 5 });
    await goTo(page, "Changes");
    await page.getByRole("heading", { name: "Nothing is pinned yet" }).waitFor();
    await page.getByRole("button", { name: "Pin everything as it is now" }).click();
    await page.getByRole("heading", { name: "Nothing is pinned yet" }).waitFor({ ...PATIENCE, state: "detached" });
    expect(readFileSync(join(toolcrib.machine.cwd, "toolcrib.lock"), "utf8")).toContain("town/forecast");
  });
});
