// A gateway for people, with many of them and their authorizations in a store. Arguments: the address of an issuer and the folder of
// the store. It sends its port and tokens to its parent, and what CPU time it has used whenever it is asked.
import { hash, randomBytes } from "node:crypto";
import { loadOptions } from "../dist/config/load-options.js";
import { openCrib } from "../dist/runtime/crib/open-crib.js";
import { createAuthorizations } from "../dist/runtime/people/authorizations.js";
import { createPeopleRows } from "../dist/runtime/people/people-rows.js";
import { openStoreAt } from "../dist/runtime/store/open-store.js";
import { createGateway } from "../dist/surfaces/gateway/gateway.js";
import { createHttpServer } from "../dist/surfaces/http/door/http-server.js";
import { openPeople } from "../dist/surfaces/http/people/open-people.js";

const PERSONS = 1_000;
const AUTHORIZATIONS = 10_000;
const [issuer = "", folder = ""] = process.argv.slice(2);
const publicUrl = "https://tools.example.com";
const CLIENT = "https://claude.ai/client.json";
const STATIC = "a-static-token";
const place = { cwd: folder, home: folder, env: process.env };
const people = [{ everybody: true, profile: "all" }];
const config = await loadOptions(
  {
    gateway: {
      publicUrl,
      clients: [{ token: STATIC }],
      profiles: { all: {} },
      auth: { issuers: [{ issuer }], people },
    },
  },
  "bench",
  place,
);
const store = await openStoreAt(`sqlite:${folder}/sessions.db`, { ...place, workspace: folder });
const shared = { store, scope: "bench" };
const crib = await openCrib(config, { ...place, version: "0", workspace: folder, shared });
const front = createGateway(crib, { version: "0", shared });
const { gateway } = crib.config;
const own = { gateway, publicUrl, place: shared, folder, front, note: () => {}, onError: console.error };
const port = await openPeople(own);
const door = await createHttpServer({
  ...{ host: "127.0.0.1", port: 0, publicUrl, people: port, api: null, metrics: null, page: null },
  ...{ access: { ...gateway, token: "main" }, mcp: front.handleHttp, limits: { requestsPerSecond: 1e9, burst: 1e9 } },
});

const rows = createPeopleRows(shared);
const authorizations = createAuthorizations(shared, { people: rows, log: () => {} });
/** @param {string} subject */
async function give(subject) {
  const person = {
    issuer: "https://idp.example.com",
    subject,
    groups: ["eng"],
    claims: [],
    name: subject,
    email: null,
  };
  await rows.note(person);
  const verifier = randomBytes(32).toString("base64url");
  const redirect = "http://127.0.0.1/callback";
  const challenge = hash("sha256", verifier, "base64url");
  const given = { caller: { ...person, client: CLIENT }, clientName: "Claude", scopes: ["tools:read", "tools:call"] };
  const code = await authorizations.allow({ ...given, redirect, challenge, browser: null });
  const tokens = await authorizations.redeem(code, { client: CLIENT, redirect, verifier });
  if (tokens === null) throw new Error("no tokens were given");
  return tokens.accessToken;
}
const tokens = [];
for (let at = 0; at < PERSONS; at += 1) tokens.push(await give(`person-${at}`));
const families = store.keyValues({ name: "people.families", person: "", project: shared.scope });
const [like] = [...(await families.entries()).values()];
for (let at = PERSONS; at < AUTHORIZATIONS; at += 1)
  await families.change(randomBytes(32).toString("base64url"), () => like);

process.on("message", () => process.send?.(process.cpuUsage()));
process.send?.({ port: door.port, fixed: STATIC, tokens });
