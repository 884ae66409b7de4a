import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { CHALLENGE, openAuthorizationWorld } from "../people/authorization-world.ts";
import { serveLoopback } from "../support/loopback-web.ts";
import { needs } from "../support/machine.ts";
import { launchBrowser, type PageOptions, type SharedBrowser } from "./browser.ts";
import { overflow, seriousViolations } from "./walk.ts";

const CLIENT = "https://claude.ai/oauth/claude-code-client-metadata";
const documents = { get: () => Promise.reject(new Error("no way out")) };

/** The consent page in a browser, and a client of this machine that waits for what comes back. */
describe("the consent page", { ...needs("chromium") }, () => {
  let browser: SharedBrowser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  const open = async (options?: PageOptions) => {
    const world = await openAuthorizationWorld({ machines: 1, documents });
    const client = await serveLoopback((_, response) => response.end("the client has its answer"));
    const wanted = {
      ...{ response_type: "code", client_id: CLIENT, redirect_uri: `http://localhost:${client.port}/callback` },
      ...{ code_challenge: CHALLENGE, code_challenge_method: "S256", state: "s" },
    };
    const watched = await browser.open(options);
    onTestFinished(() => watched.close());
    await watched.page.context().clearCookies();
    await watched.page.goto(`${world.origin}/authorize?${new URLSearchParams(wanted)}`);
    return { ...watched, client, world };
  };
  /** What the client got at its address. */
  const answerOf = (client: { readonly requests: readonly { readonly url: string }[] }) =>
    Object.fromEntries(
      new URL(client.requests.find(({ url }) => url.startsWith("/callback"))?.url ?? "", "http://x").searchParams,
    );

  test("one click brings the client its code, past the page's own policy", async () => {
    const { page, client, world, offences } = await open();
    await page.getByRole("button", { name: "Allow", exact: true }).click();
    await page.getByText("the client has its answer").waitFor();
    expect(answerOf(client)).toEqual({ code: expect.stringMatching(/^[\w-]{43}$/), state: "s", iss: world.origin });
    expect(client.requests[0]?.headers.referer).toBeUndefined();
    // The client is another origin, and that is where the person is to go.
    expect(offences.filter((offence) => !offence.includes(`localhost:${client.port}`))).toEqual([]);
  });

  test("the keyboard is enough, and a no reaches the client too", async () => {
    const { page, client } = await open();
    await page.getByRole("button", { name: "Do not allow" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("the client has its answer").waitFor();
    expect(answerOf(client)).toMatchObject({ error: "access_denied", state: "s" });
  });

  test.each([
    ["wide and light", { viewport: { width: 1440, height: 900 }, colorScheme: "light" }],
    ["narrow and dark", { viewport: { width: 360, height: 740 }, colorScheme: "dark" }],
  ] as const)("it keeps nobody out: %s", async (_, options) => {
    const { page } = await open(options);
    await page.getByRole("heading", { name: "Let claude.ai use your tools?" }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
  });
});
