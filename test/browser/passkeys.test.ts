import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { openLoginWorld } from "../people/login-world.ts";
import { needs } from "../support/machine.ts";
import { launchBrowser, type PageOptions, type SharedBrowser } from "./browser.ts";
import { overflow, seriousViolations } from "./walk.ts";

/** Invitations and passkeys in a browser whose authenticator is a virtual one. */
describe("passkeys in a browser", { ...needs("chromium") }, () => {
  let browser: SharedBrowser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  const open = async (options?: PageOptions) => {
    const world = await openLoginWorld({ hasProvider: false, host: "localhost", machines: 2 });
    const watched = await browser.open(options);
    onTestFinished(() => watched.close());
    const { page } = watched;
    await page.context().clearCookies();
    const session = await page.context().newCDPSession(page);
    onTestFinished(() => session.detach());
    await session.send("WebAuthn.enable");
    await session.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        ...{ protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true },
        ...{ isUserVerified: true, automaticPresenceSimulation: true },
      },
    });
    const { link } = await world.invitations.create({ name: "Carol Cho", email: null, groups: ["eng"] }, "root");
    return { ...watched, link, origin: world.origin, people: world.people };
  };

  test("an invitation makes a passkey, which logs in again after a logout", async () => {
    const { page, link, origin, people, offences } = await open();
    await page.goto(link);
    await page.getByText("This invitation is for Carol Cho.").waitFor();
    await page.getByRole("button", { name: "Make a passkey" }).click();
    await page.getByRole("heading", { name: "You are logged in" }).waitFor();
    expect((await people.list()).map(({ caller }) => [caller.name, caller.groups])).toEqual([["Carol Cho", ["eng"]]]);
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByRole("heading", { name: "You are logged out" }).waitFor();
    await page.getByRole("link", { name: "Log in again" }).click();
    await page.getByRole("button", { name: "Log in with a passkey" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "You are logged in" }).waitFor();
    expect(page.url()).toBe(`${origin}/login`);
    expect(offences).toEqual([]);
    await page.goto(link);
    await page
      .getByRole("alert")
      .filter({ hasText: "This invitation is not known, was used, or is too old." })
      .waitFor();
  });

  test.each([
    ["wide and light", { viewport: { width: 1440, height: 900 }, colorScheme: "light" }],
    ["narrow and dark", { viewport: { width: 360, height: 740 }, colorScheme: "dark" }],
  ] as const)("the pages keep nobody out: %s", async (_, options) => {
    const { page, link, origin } = await open(options);
    for (const address of [link, `${origin}/login/passkey`]) {
      await page.goto(address);
      await page.getByRole("button", { disabled: false }).waitFor();
      expect(await overflow(page)).toBeLessThanOrEqual(0);
      expect(await seriousViolations(page)).toEqual([]);
    }
  });
});
