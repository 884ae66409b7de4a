import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchBrowser, type SharedBrowser } from "../browser/browser.ts";
import { overflow, seriousViolations } from "../browser/walk.ts";
import { startAuthServer } from "../oauth/auth-server.ts";
import { needs } from "../support/machine.ts";
import { openLoginWorld } from "./login-world.ts";

const API = { spec: "./api.json", baseUrl: "https://boards.example.com" };

describe("logins at servers in a real browser", { ...needs("chromium") }, () => {
  let shared: SharedBrowser;
  beforeAll(async () => {
    shared = await launchBrowser();
  }, 60_000);
  afterAll(() => shared?.close());

  test.each([
    ["light", 1280],
    ["dark", 380],
  ] as const)("people log in, enter a key and disconnect without a script: %s, %i wide", async (colorScheme, width) => {
    const auth = await startAuthServer();
    const oauth = { authorizationUrl: `${auth.origin}/authorize`, tokenUrl: `${auth.origin}/token` };
    const world = await openLoginWorld({
      machines: 1,
      config: {
        openapi: {
          boards: {
            ...API,
            baseUrl: auth.origin,
            credentials: "person",
            oauth: { ...oauth, clientId: "known-client" },
          },
          tracker: { ...API, credentials: { kind: "key", hint: "https://tracker.example.com/keys" } },
        },
      },
    });
    await world.provider.setUser("alice", { name: "Alice Ames", groups: [] });
    await world.provider.signIn("alice");
    const watched = await shared.open({ colorScheme, viewport: { width, height: 800 } });
    const { page } = watched;
    const isFine = async (): Promise<void> => {
      expect(await overflow(page)).toBe(0);
      expect(await seriousViolations(page)).toEqual([]);
    };
    await page.goto(`${world.origin}/me`);
    await page.getByRole("heading", { name: "My logins at servers: 0 of 2" }).waitFor();
    await isFine();

    await page.getByRole("link", { name: "Log in: boards" }).click();
    await page.getByRole("heading", { level: 1, name: "Connect boards" }).waitFor();
    await isFine();
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByRole("heading", { level: 1, name: "boards is connected" }).waitFor();
    await isFine();
    await page.getByRole("link", { name: "all your logins" }).click();

    await page.getByRole("link", { name: "Enter a key: tracker" }).click();
    await page.getByLabel("Your key").fill("tracker-key-0123456789");
    await isFine();
    await page.getByRole("button", { name: "Keep it" }).click();
    await page.getByRole("heading", { level: 1, name: "tracker is connected" }).waitFor();
    await page.goto(`${world.origin}/me`);
    await page.getByRole("button", { name: "Disconnect: boards" }).click();
    await page.getByText("The login is forgotten.").waitFor();
    await page.getByRole("heading", { name: "My logins at servers: 1 of 2" }).waitFor();
    await isFine();
    expect(auth.asked("/token")).toHaveLength(1);
    expect(
      watched.offences.filter((offence) => !offence.includes(auth.origin) && !offence.includes(world.provider.issuer)),
    ).toEqual([]);
    await watched.close();
  });
});
