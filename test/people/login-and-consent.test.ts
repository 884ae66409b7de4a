import { expect, test } from "vitest";
import { createBrowserJar } from "../support/browser-jar.ts";
import { serveLoopback } from "../support/loopback-web.ts";
import { CHALLENGE, VERIFIER } from "./authorization-world.ts";
import { openLoginWorld } from "./login-world.ts";

/** A client that registers, sends a browser off, and waits for its code. */
async function openClient(origin: string) {
  const waiting = await serveLoopback((_, response) => response.end("the client has its answer"));
  const redirect_uri = `http://127.0.0.1:${waiting.port}/callback`;
  const body = JSON.stringify({ redirect_uris: [redirect_uri], token_endpoint_auth_method: "none" });
  const headers = { "content-type": "application/json" };
  const registered = await fetch(`${origin}/register`, { method: "POST", headers, body });
  const { client_id = "" } = (await registered.json()) as Record<string, string>;
  const wanted = {
    response_type: "code",
    client_id,
    redirect_uri,
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
  };
  return {
    address: `${origin}/authorize?${new URLSearchParams({ ...wanted, state: "s" })}`,
    /** Gets tokens for the code that came back. */
    async redeem(): Promise<Record<string, string>> {
      const { searchParams } = new URL(waiting.requests.at(-1)?.url ?? "", origin);
      expect([searchParams.get("state"), searchParams.get("iss")]).toEqual(["s", origin]);
      const given = { grant_type: "authorization_code", code: searchParams.get("code") ?? "", client_id, redirect_uri };
      const form = new URLSearchParams({ ...given, code_verifier: VERIFIER });
      const answer = await fetch(`${origin}/token`, { method: "POST", body: form });
      return (await answer.json()) as Record<string, string>;
    },
  };
}

test("restart of all machines in the middle of a login, at every step of it: it goes on, to a token (O4)", async () => {
  const world = await openLoginWorld();
  await world.provider.setUser("alice", { name: "Alice Ames", groups: ["eng"] });
  const client = await openClient(world.origin);
  const jar = createBrowserJar();
  await world.restart();
  const asked = await jar.open(client.address);
  expect(asked.url).toMatch(`${world.provider.issuer}/interaction/`);
  await world.restart();
  const consent = await jar.submit(asked, { user: "alice" });
  expect(consent.text).toContain("You are logged in as Alice Ames");
  await world.restart();
  const back = await jar.submit(consent, { answer: "allow" });
  expect(back.text).toBe("the client has its answer");
  await world.restart();
  const { access_token } = await client.redeem();
  await world.restart();
  const headers = { authorization: `Bearer ${access_token}`, "content-type": "application/json" };
  const call = await fetch(`${world.origin}/mcp`, { method: "POST", headers, body: "{}" });
  expect(call.status).not.toBe(401);
  expect(world.problems).toEqual([]);
});
