// @ts-nocheck The package ships no types, and most of this is called by it.
// A certified OpenID provider in a thread of its own, so that its clock can be off. See identity-provider.ts.
import { generateKeyPairSync, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { parentPort, workerData } from "node:worker_threads";

const realNow = Date.now.bind(Date);
let offset = 0;
Date.now = () => realNow() + offset;
// It warns of what is fine here: an older Node, plain http, its own memory.
const warn = console.warn;
console.warn = console.info = () => {};
const { Provider, errors } = await import("oidc-provider");
const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";

/** @type {Map<string, Record<string, any>>} */
const users = new Map();
/** @type {Map<string, Record<string, any>>} */
const clients = new Map();
/** @type {Map<string, { payload: Record<string, any>, until: number }>} */
const rows = new Map();
/** @type {Map<string, number>} */
const requests = new Map();
let signedIn = null;
let delay = 0;
let isAway = false;

/** Rows of all kinds, which outlive a change of keys. */
class Rows {
  constructor(model) {
    this.model = model;
  }
  key(id) {
    return `${this.model}:${id}`;
  }
  async upsert(id, payload, expiresIn) {
    rows.set(this.key(id), { payload, until: Date.now() + (expiresIn ?? 1e9) * 1000 });
  }
  async find(id) {
    if (this.model === "Client") return clients.get(id);
    const row = rows.get(this.key(id));
    return row === undefined || row.until < Date.now() ? undefined : row.payload;
  }
  async findByUid(uid) {
    for (const [key, { payload }] of rows) if (key.startsWith(`${this.model}:`) && payload.uid === uid) return payload;
    return undefined;
  }
  async findByUserCode() {
    return undefined;
  }
  async consume(id) {
    const payload = await this.find(id);
    if (payload) payload.consumed = Math.floor(Date.now() / 1000);
  }
  async destroy(id) {
    rows.delete(this.key(id));
  }
  async revokeByGrantId(grantId) {
    for (const [key, { payload }] of rows) if (payload.grantId === grantId) rows.delete(key);
  }
}

function makeKeys() {
  return [
    { ...generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ format: "jwk" }), alg: "RS256" },
    { ...generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" }), alg: "ES256" },
    { ...generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" }), alg: "EdDSA" },
  ].map((key) => ({ ...key, use: "sig", kid: randomUUID() }));
}

const server = createServer((request, response) => {
  const path = (request.url ?? "").split("?")[0];
  requests.set(path, (requests.get(path) ?? 0) + 1);
  if (isAway) return void request.socket.destroy();
  const answer = () => {
    if (path.startsWith("/interaction/"))
      return void interact(request, response).catch((error) => fail(response, error));
    callback(request, response);
  };
  if (delay > 0) setTimeout(answer, delay);
  else answer();
});
await new Promise((resolve) => server.listen(workerData.port, "127.0.0.1", () => resolve(undefined)));
const issuer = `http://127.0.0.1:${server.address().port}`;

let provider;
let callback;
let keys = makeKeys();
build();

function build() {
  provider = new Provider(issuer, {
    adapter: Rows,
    jwks: { keys },
    cookies: { keys: ["only for tests"] },
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      clientCredentials: { enabled: true },
      introspection: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => [],
        useGrantedResource: () => true,
        getResourceServerInfo: (_ctx, resource) => ({
          scope: "tools:read tools:call",
          audience: resource,
          accessTokenTTL: 600,
          accessTokenFormat: "jwt",
        }),
      },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (ctx, form) => {
          ctx.body = `<!doctype html><title>Log out</title>${form}<button form="op.logoutForm" name="logout" value="yes">Log out</button>`;
        },
      },
    },
    // As Keycloak, Entra and Okta do: claims are in the ID token too.
    conformIdTokenClaims: false,
    claims: {
      openid: ["sub", ...workerData.claims],
      profile: ["name", "preferred_username"],
      email: ["email", "email_verified"],
    },
    scopes: ["openid", "profile", "email", "offline_access", "tools:read", "tools:call"],
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    pkce: { required: () => true },
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed("refresh_token"),
    rotateRefreshToken: true,
    ttl: { AccessToken: 600, IdToken: 600, RefreshToken: 86_400, Session: 86_400, Grant: 86_400, Interaction: 600 },
    async findAccount(_ctx, sub) {
      const user = users.get(sub);
      if (user === undefined || user.disabled === true) return undefined;
      return {
        accountId: sub,
        claims: async (use) => {
          const { disabled, idTokenOnly = {}, ...claims } = user;
          return { sub, ...claims, ...(use === "id_token" ? idTokenOnly : {}) };
        },
      };
    },
    async loadExistingGrant(ctx) {
      const { client, session, provider: own } = ctx.oidc;
      const known = session.grantIdFor(client.clientId);
      const grant =
        (known && (await own.Grant.find(known))) ||
        new own.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope("openid profile email offline_access");
      for (const resource of [].concat(ctx.oidc.params.resource ?? []))
        grant.addResourceScope(resource, "tools:read tools:call");
      await grant.save();
      return grant;
    },
    renderError: (ctx, out) => {
      ctx.type = "html";
      ctx.body = `<!doctype html><title>Error</title><p>${out.error}: ${out.error_description ?? ""}</p>`;
    },
    fetch: (url, { dispatcher, ...options }) => globalThis.fetch(url, options),
  });
  provider.on("server_error", (_ctx, error) => warn(error));
  const parameters = ["subject_token", "subject_token_type", "requested_token_type", "audience", "resource", "scope"];
  provider.registerGrantType(EXCHANGE, exchange, parameters);
  callback = provider.callback();
}

/** Another token for the same person, for a resource alone (RFC 8693). */
async function exchange(ctx) {
  const { client, params } = ctx.oidc;
  const subject = await provider.AccessToken.find(params.subject_token);
  const user = subject && users.get(subject.accountId);
  const isGood =
    subject?.isValid && user !== undefined && user.disabled !== true && subject.clientId === client.clientId;
  if (!isGood) throw new errors.InvalidGrant("this cannot be exchanged");
  const resource = params.resource ?? params.audience;
  const token = new provider.AccessToken({
    accountId: subject.accountId,
    client,
    gty: "exchange",
    scope: params.scope,
  });
  token.resourceServer = new provider.ResourceServer(resource, {
    ...{ scope: "tools:call", audience: resource, accessTokenTTL: 600, accessTokenFormat: "jwt" },
  });
  ctx.body = {
    ...{ access_token: await token.save(), expires_in: 600, token_type: "Bearer" },
    issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
  };
}

/** Asks who is there, unless the test has said it. */
async function interact(request, response) {
  const body = [];
  for await (const part of request) body.push(part);
  const user = signedIn ?? new URLSearchParams(Buffer.concat(body).toString("utf8")).get("user");
  if (user === null) {
    response.writeHead(200, { "content-type": "text/html" });
    return void response.end(
      '<!doctype html><title>Company login</title><form method="post"><label>User <input name="user"></label><button>Log in</button></form>',
    );
  }
  if (users.get(user) === undefined || users.get(user)?.disabled) {
    const result = { error: "access_denied", error_description: "this account is disabled" };
    return provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  }
  const result = { login: { accountId: user } };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
}

function fail(response, error) {
  warn(error);
  response.writeHead(500).end();
}

const acts = {
  setUser: (subject, user) => void users.set(subject, user),
  setClient: (client) => void clients.set(client.client_id, client),
  signIn: (subject) => {
    signedIn = subject;
  },
  setOffset: (milliseconds) => {
    offset = milliseconds;
  },
  setDelay: (milliseconds) => {
    delay = milliseconds;
  },
  setAway: (away) => {
    isAway = away;
    if (away) server.closeAllConnections();
  },
  rotateKeys: (keepOld) => {
    keys = [...makeKeys(), ...(keepOld ? keys : [])];
    build();
  },
  issued: () =>
    [...rows.keys()].flatMap((key) => /^(?:AccessToken|RefreshToken|AuthorizationCode):(.+)$/.exec(key)?.[1] ?? []),
  requests: (path) => requests.get(path) ?? 0,
  /** Ends every session of a person here, and tells each client that wants to know. */
  async endSessions(subject) {
    const sent = [];
    for (const [key, { payload }] of [...rows]) {
      if (!key.startsWith("Session:") || payload.accountId !== subject) continue;
      rows.delete(key);
      for (const [clientId, { sid, grantId }] of Object.entries(payload.authorizations ?? {})) {
        const client = await provider.Client.find(clientId);
        if (client?.backchannelLogoutUri) await client.backchannelLogout(subject, sid);
        if (client?.backchannelLogoutUri) sent.push(sid);
        if (grantId) await new Rows("Grant").revokeByGrantId(grantId);
      }
    }
    return sent;
  },
};

parentPort?.on("message", async ({ id, act, given }) => {
  try {
    parentPort?.postMessage({ id, result: await acts[act](...given) });
  } catch (error) {
    parentPort?.postMessage({ id, error: error instanceof Error ? error.message : String(error) });
  }
});
parentPort?.postMessage({ issuer });
