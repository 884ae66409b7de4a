import { expect, onTestFinished, test } from "vitest";
import { createAuthorizations } from "../../src/runtime/people/authorizations.ts";
import { createStore } from "../../src/runtime/store/create-store.ts";
import { openPostgres } from "../../src/runtime/store/postgres/open-postgres.ts";
import type { Store } from "../../src/runtime/store/store.ts";
import { startCuttingProxy } from "../support/cutting-proxy.ts";
import { makeStore } from "../support/people-stores.ts";
import { createDatabase } from "../support/postgres-database.ts";
import { alice, CHALLENGE, openAuthorizationWorld, parametersOf, VERIFIER } from "./authorization-world.ts";

const CLIENT = "https://claude.ai/oauth/claude-code-client-metadata";
const REDIRECT = "http://localhost:3118/callback";
const documents = { get: () => Promise.reject(new Error("no way out")) };
const wanted = {
  ...{ response_type: "code", client_id: CLIENT, redirect_uri: REDIRECT },
  ...{ code_challenge: CHALLENGE, code_challenge_method: "S256" },
};

test("a client that gives its token back is refused on every machine that knew the token, within 5 s", async () => {
  const world = await openAuthorizationWorld({ documents });
  const there = world.browser();
  const page = await there.go(`/authorize?${new URLSearchParams(wanted)}`);
  const { code = "" } = parametersOf(await there.answer(page, "allow"));
  const given = { grant_type: "authorization_code", code, client_id: CLIENT, code_verifier: VERIFIER };
  const tokens = (await (await world.post("/token", given)).json()) as Record<string, string>;
  const headers = { authorization: `Bearer ${tokens.access_token}`, "content-type": "application/json" };
  // What is no message of the protocol is refused behind the door.
  const call = async (): Promise<number> =>
    (await fetch(`${world.origin}/mcp`, { method: "POST", headers, body: "{}" })).status;
  const everywhere = async (): Promise<readonly number[]> => [await call(), await call(), await call()];
  expect(await everywhere()).not.toContain(401);
  await world.post("/revoke", { client_id: CLIENT, token: tokens.refresh_token ?? "" });
  await expect.poll(everywhere, { timeout: 5_000 }).toEqual([401, 401, 401]);
});

test("with the store away clients and people are told to try again", async () => {
  const database = new URL(await createDatabase());
  const proxy = await startCuttingProxy(Number(database.port));
  database.port = String(proxy.port);
  const openStore = async (): Promise<Store> => {
    const store = createStore(await openPostgres(database.href));
    onTestFinished(() => store.close());
    return store;
  };
  const { origin, post, problems } = await openAuthorizationWorld({ documents, openStore, machines: 1 });
  await proxy.close();
  const answer = await post("/token", {
    grant_type: "refresh_token",
    refresh_token: `tcr_${"x".repeat(65)}`,
    client_id: CLIENT,
  });
  expect([answer.status, await answer.json()]).toMatchObject([503, { error: "temporarily_unavailable" }]);
  const page = await fetch(
    `${origin}/authorize?${new URLSearchParams({ ...wanted, client_id: `tcc_${"x".repeat(22)}` })}`,
  );
  expect([page.status, await page.text()]).toMatchObject([503, expect.stringContaining("cannot reach its store")]);
  expect(problems).toEqual([]);
});

test.each(["sqlite", "postgres"] as const)(
  "however many authorizations are in %s, a look-up reads one of their rows, by its key",
  async (kind) => {
    const { open } = await makeStore(kind);
    const store = await open();
    const listed: string[] = [];
    const read: string[] = [];
    const counted = {
      ...store,
      keyValues: (place: Parameters<Store["keyValues"]>[0]) => {
        const values = store.keyValues(place);
        return {
          ...values,
          get: (key: string) => {
            read.push(place.name);
            return values.get(key);
          },
          entries: () => {
            listed.push(place.name);
            return values.entries();
          },
        };
      },
    };
    const people = {
      find: async () => ({ caller: alice, since: 0, seen: 0, ended: null }),
      announce: async () => {},
    };
    const authorizations = createAuthorizations({ store: counted, scope: "s" }, { people, log: () => {} });
    const caller = { ...alice, client: "c" };
    const shown = { client: "c", redirect: null, verifier: VERIFIER };
    const given = { caller, clientName: "c", scopes: [], redirect: "r", challenge: CHALLENGE, browser: null };
    const tokens = await authorizations.redeem(await authorizations.allow(given), shown);
    // The only list is of this person's own.
    expect(listed).toEqual(["people.given"]);
    [listed.length, read.length] = [0, 0];
    await authorizations.find(tokens?.accessToken ?? "");
    await authorizations.refresh(tokens?.refreshToken ?? "", "c");
    expect(listed).toEqual([]);
    expect(read).toEqual(["people.families", "people.families"]); // One for each of the two.
  },
);
