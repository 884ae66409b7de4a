import { expect, test } from "vitest";
import { CLIENT_TOKEN, TOKEN } from "../http/door.ts";
import { asking, openPeopleGateway, PUBLIC_URL } from "./world.ts";

const METADATA = `${PUBLIC_URL}/.well-known/oauth-protected-resource/mcp`;
const LIST = asking(null);

test("the metadata of the resource is at both places, for everybody and pages of any origin (O3)", async () => {
  const { ask } = await openPeopleGateway({});
  const headers = { origin: "https://elsewhere.example", "x-forwarded-host": "evil.example" };
  for (const path of ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"]) {
    const answer = await ask(path, { headers });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(await answer.json()).toEqual({
      resource: `${PUBLIC_URL}/mcp`,
      authorization_servers: [PUBLIC_URL],
      scopes_supported: ["tools:read", "tools:call"],
      bearer_methods_supported: ["header"],
      resource_name: "Toolcrib",
    });
  }
  const preflight = await ask("/.well-known/oauth-protected-resource", { method: "OPTIONS", headers });
  expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
  expect((await ask("/mcp", { ...LIST, headers: { ...(LIST.headers as object), ...headers } })).status).toBe(403);
});

test("the challenge says where to log in, and after a wrong token that it is one, without why (O2, O3)", async () => {
  const { ask, notes } = await openPeopleGateway({});
  const missing = await ask("/mcp", LIST);
  expect([missing.status, missing.headers.get("www-authenticate")]).toEqual([
    401,
    `Bearer resource_metadata="${METADATA}", scope="tools:read tools:call"`,
  ]);
  expect(notes).toEqual([]);
  const wrong = await ask("/mcp", asking("wrong"));
  expect([wrong.status, wrong.headers.get("www-authenticate")]).toEqual([
    401,
    `Bearer error="invalid_token", error_description="The token is not valid here", resource_metadata="${METADATA}", scope="tools:read tools:call"`,
  ]);
  expect(await wrong.json()).toEqual({ error: { code: "http.unauthorized", text: "the token is not known" } });
  expect(notes).toEqual([
    {
      type: "token.refused",
      text: "a token from 127.0.0.1 was refused: nobody gave it out, it has expired, or it was revoked",
    },
  ]);
  expect((await ask("/mcp?access_token=wrong", LIST)).status).toBe(401);
});

test("tokens of the configuration work as without people", async () => {
  const { ask } = await openPeopleGateway({ clients: [{ token: CLIENT_TOKEN }] });
  expect((await ask("/mcp", asking(CLIENT_TOKEN))).status).toBe(200);
});

test("the gateway's own token counts on this machine alone, and each use is in the log (O2)", async () => {
  const { ask, notes } = await openPeopleGateway({ trustedProxies: ["192.0.2.0/24"] });
  expect((await ask("/mcp", asking(TOKEN))).status).toBe(200);
  expect((await ask("/mcp", asking(TOKEN, { "x-forwarded-for": "203.0.113.9" }))).status).toBe(401);
  expect((await ask("/mcp", asking(TOKEN, { via: "1.1 proxy" }))).status).toBe(401);
  expect((await ask("/api/overview", { headers: { authorization: `Bearer ${TOKEN}` } })).status).toBe(404);
  expect(notes.map(({ type, text }) => `${type} ${text}`)).toEqual([
    "token.main the gateway's own token was used for POST /mcp from 127.0.0.1",
    "token.main the gateway's own token was refused for POST /mcp from 127.0.0.1, because it counts on this machine alone",
    "token.main the gateway's own token was refused for POST /mcp from 127.0.0.1, because it counts on this machine alone",
    "token.main the gateway's own token was used for GET /api/overview from 127.0.0.1",
  ]);
});
