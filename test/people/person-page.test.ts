import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchBrowser, type SharedBrowser } from "../browser/browser.ts";
import { overflow, seriousViolations } from "../browser/walk.ts";
import { needs } from "../support/machine.ts";
import {
  type AuthorizationWorld,
  alice,
  bob,
  CHALLENGE,
  openAuthorizationWorld,
  parametersOf,
  VERIFIER,
} from "./authorization-world.ts";

const SETTINGS = {
  builtins: "read",
  profiles: { readers: { exclude: ["grep"] } },
  auth: {
    people: [
      { group: ["eng"], profile: "readers", roles: ["member"] },
      { group: ["boss"], roles: ["admin"] },
    ],
  },
};
const CALL = {
  ...{ seq: 1, run: "r", time: "2026-01-02T03:04:05.000Z", prev: "", hash: "", type: "call" as const, session: "s" },
  ...{
    client: "Claude <b>Code</b>",
    principal: "alice@x",
    call: "c",
    tool: "view",
    arguments: {},
    argumentsDigest: "",
  },
  ...{ decision: null, result: "success", error: null, duration: 1, cancelledBy: null },
};
const open = () => openAuthorizationWorld({ machines: 1, gateway: SETTINGS, calls: [CALL] });

/** A client of this name that the person at that browser has allowed in, and its access token. */
async function allowClient(
  world: AuthorizationWorld,
  browser: ReturnType<AuthorizationWorld["browser"]>,
  name: string,
) {
  const redirect_uri = "http://127.0.0.1/callback";
  const wanted = { client_name: name, redirect_uris: [redirect_uri], token_endpoint_auth_method: "none" };
  const { client_id } = (await (await world.register(wanted)).json()) as { client_id: string };
  const asked = { client_id, redirect_uri, code_challenge: CHALLENGE, code_challenge_method: "S256" };
  const page = await browser.go(`/authorize?${new URLSearchParams({ response_type: "code", ...asked })}`);
  const { code = "" } = parametersOf(await browser.answer(page, "allow"));
  const grant = { grant_type: "authorization_code", code, redirect_uri, client_id, code_verifier: VERIFIER };
  const { access_token } = (await (await world.post("/token", grant)).json()) as { access_token: string };
  return access_token;
}

const fieldOf = (text: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? "";

describe("a person's own page", () => {
  test("shows tools with the rule that gives them, and those that are missing with the rule that hides them (O6)", async () => {
    const world = await open();
    world.world.person = { ...alice, groups: ["eng"] };
    const text = await (await world.browser().go("/me")).text();
    expect(text).toContain("people group &quot;eng&quot; gives profile &quot;readers&quot;");
    expect(text).toMatch(/<strong>view<\/strong>/);
    expect(text).toMatch(
      /<strong>grep<\/strong><ul class="dim"><li>excluded by &quot;grep&quot; in the readers profile&#39;s exclude list/,
    );
    // What nobody gets is no news about this person.
    expect(text).not.toContain("<strong>bash</strong>");
    expect(text).toMatch(/\d+ more are given to nobody here/);
    expect(text).toContain(`${world.origin}/mcp`);
    expect(text).not.toContain("Open the inspector");
    expect(text).toContain("Claude &lt;b&gt;Code&lt;/b&gt;");
    expect(text).not.toContain("<b>Code");
  });

  test("somebody whom no rule knows gets no tools, with that reason; an admin finds the inspector", async () => {
    const world = await open();
    world.world.person = { ...alice, groups: ["boss"] };
    const text = await (await world.browser().go("/me")).text();
    expect(text).toContain("My tools: 0");
    expect(text).toContain("no rule of gateway.auth.people gives");
    expect(text).toContain('<a href="/">Open the inspector</a>');
  });

  test("a client is taken back by the person alone, and its tokens end with it (O8)", async () => {
    const world = await open();
    world.world.person = { ...alice, groups: ["eng"] };
    const mine = world.browser();
    const access = await allowClient(world, mine, "My editor");
    const headers = { authorization: `Bearer ${access}` };
    const isOpen = async () => (await fetch(`${world.origin}/mcp`, { headers })).status !== 401;
    expect(await isOpen()).toBe(true);
    const page = await (await mine.go("/me")).text();
    expect(page).toContain("My editor");
    const [token, client] = [fieldOf(page, "token"), fieldOf(page, "client")];
    world.world.person = { ...bob, groups: ["eng"] };
    const theirs = world.browser();
    const own = fieldOf(await (await theirs.go("/me")).text(), "token");
    const post = (browser: typeof mine, fields: Record<string, string>, origin = world.origin) =>
      browser.go("/me", { method: "POST", body: new URLSearchParams(fields), headers: { origin } });
    expect((await post(theirs, { token: own, client })).status).toBe(404);
    expect((await post(theirs, { token, client })).status).toBe(403);
    expect((await post(mine, { token: "x", client })).status).toBe(403);
    expect((await post(mine, { token, client }, "https://evil.example")).status).toBe(403);
    expect(await isOpen()).toBe(true);
    expect(await (await post(mine, { token, client })).text()).toContain("That client has no access any more.");
    expect(await isOpen()).toBe(false);
    const rows = world.notes.filter(({ type }) => type === "authorization.ended");
    expect(rows.at(-1)).toMatchObject({ principal: "alice@idp.example.com" });
  });

  test("asks people to log in first, and comes back", async () => {
    const world = await open();
    world.world.person = null;
    expect((await world.browser().go("/me")).status).toBe(403);
    world.world.person = { ...alice, groups: ["eng"] };
    expect(await (await world.browser().go("/me")).text()).toContain("My tools");
  });
});

describe("in a real browser", { ...needs("chromium") }, () => {
  let shared: SharedBrowser;
  beforeAll(async () => {
    shared = await launchBrowser();
  }, 60_000);
  afterAll(() => shared?.close());

  test.each([
    ["light", 1280],
    ["dark", 1280],
    ["light", 380],
    ["dark", 380],
  ] as const)("it is read by everybody: %s, %i wide", async (colorScheme, width) => {
    const world = await open();
    world.world.person = { ...alice, groups: ["eng"], name: "Alice Ames" };
    const browser = world.browser();
    await allowClient(world, browser, "An editor with a very long name of its own that says little");
    const watched = await shared.open({ colorScheme, viewport: { width, height: 800 } });
    const { page } = watched;
    await page.goto(`${world.origin}/me`);
    for (const summary of await page.locator("summary").all()) await summary.press("Enter");
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Alice Ames");
    expect(await page.getByText("excluded by").first().isVisible()).toBe(true);
    expect(await overflow(page)).toBe(0);
    expect(await seriousViolations(page)).toEqual([]);
    expect(watched.offences).toEqual([]);
    await watched.close();
  });
});
