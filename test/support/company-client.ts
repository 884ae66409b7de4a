import { createHash, randomBytes } from "node:crypto";
import { type AddressInfo, createServer } from "node:net";
import type { BrowserJar } from "./browser-jar.ts";

/** Lets a client have the tools of the person who is logged in with this browser; every step as a client takes it. */
export async function letClientIn(browser: BrowserJar, publicUrl: string, name = "Editor") {
  const redirect_uri = "http://127.0.0.1:1/callback";
  const verifier = randomBytes(32).toString("base64url");
  const registration = { client_name: name, redirect_uris: [redirect_uri], token_endpoint_auth_method: "none" };
  const registered = await fetch(`${publicUrl}/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(registration),
  });
  const { client_id } = (await registered.json()) as { client_id: string };
  const code_challenge = createHash("sha256").update(verifier).digest("base64url");
  const wanted = { response_type: "code", client_id, redirect_uri, code_challenge, code_challenge_method: "S256" };
  const consent = await browser.open(`${publicUrl}/authorize?${new URLSearchParams(wanted)}`);
  const [, ticket = ""] = /name="ticket" value="([^"]*)"/.exec(consent.text) ?? [];
  const allowed = await browser.ask(`${publicUrl}/authorize`, {
    method: "POST",
    headers: { origin: publicUrl },
    body: new URLSearchParams({ ticket, answer: "allow" }),
  });
  const code = new URL(allowed.headers.get("location") ?? "").searchParams.get("code") ?? "";
  const shown = { grant_type: "authorization_code", code, redirect_uri, client_id, code_verifier: verifier };
  const granted = await fetch(`${publicUrl}/token`, { method: "POST", body: new URLSearchParams(shown) });
  const tokens = (await granted.json()) as { access_token: string; refresh_token: string };
  return {
    ...{ client_id, verifier, ticket, code, consent: consent.text },
    access: tokens.access_token,
    refresh: tokens.refresh_token,
  };
}

/** Nobody listens there just now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
