import { createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { PersonRule } from "../../src/core/people/map-person.ts";
import { openLogins } from "../../src/runtime/credentials/open-logins.ts";
import { openUpstream } from "../../src/runtime/credentials/open-upstream.ts";
import { serversWithLogins } from "../../src/runtime/credentials/own-servers.ts";
import type { CribOptions } from "../../src/runtime/crib/open-crib.ts";
import { serversOfPerson, toolsOfPerson } from "../../src/runtime/crib/person-tools.ts";
import { createAuthorizations } from "../../src/runtime/people/authorizations.ts";
import type { PeopleNote } from "../../src/runtime/people/contract.ts";
import { createInvitations } from "../../src/runtime/people/invitations.ts";
import { createPeopleRows } from "../../src/runtime/people/people-rows.ts";
import { createStore } from "../../src/runtime/store/create-store.ts";
import { createMemoryBackEnd } from "../../src/runtime/store/memory-back-end.ts";
import { createMemoryTables } from "../../src/runtime/store/memory-tables.ts";
import { createHttpServer } from "../../src/surfaces/http/door/http-server.ts";
import { openPeople } from "../../src/surfaces/http/people/open-people.ts";
import { openGateway } from "../gateway/world.ts";
import { TOKEN } from "../http/door.ts";
import { type BrowserJar, createBrowserJar } from "../support/browser-jar.ts";
import { createWorkspace } from "../support/config-workspace.ts";
import { startIdentityProvider } from "../support/identity-provider.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
/** The secret of the gateway at its provider. */
export const CLIENT_SECRET = "client-secret-canary-0123456789abcdef";

interface LoginWorldOptions {
  readonly auth?: object;
  readonly machines?: number;
  /** Whether there is an identity provider; else people are invited. */
  readonly hasProvider?: boolean;
  /** The host that browsers use. */
  readonly host?: string;
  /** The rest of the configuration. */
  readonly config?: object;
  /** Whether tokens of logins are kept, to be exchanged for others. */
  readonly keepsTokens?: boolean;
  /** Called for each view of a client that opens. */
  readonly watch?: CribOptions["watch"];
}

/** Machines behind one address, which takes them in turns, and a real provider that logs people in. */
export async function openLoginWorld(options: LoginWorldOptions = {}) {
  const { hasProvider = true, host = "127.0.0.1" } = options;
  const tables = createMemoryTables();
  const openStore = () => createStore(createMemoryBackEnd(tables));
  const folder = makeTempFolder();
  const notes: PeopleNote[] = [];
  const problems: { readonly text: string; readonly error: unknown }[] = [];
  const doors: Awaited<ReturnType<typeof startMachine>>[] = [];
  let turn = 0;
  const front = createServer((request, response) => {
    const door = doors[turn++ % doors.length];
    if (door === undefined) return void response.writeHead(502).end();
    const { method, url, headers } = request;
    const onward = send({ host: "127.0.0.1", port: door.port, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    // Who leaves a stream has left it there too.
    response.on("close", () => onward.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
  const origin = `http://${host}:${(front.address() as AddressInfo).port}`;
  const provider = hasProvider ? await startIdentityProvider() : null;
  await provider?.setClient({
    ...{ client_id: "gateway", client_secret: CLIENT_SECRET, redirect_uris: [`${origin}/login/callback`] },
    ...{ grant_types: ["authorization_code", "refresh_token", EXCHANGE], response_types: ["code"] },
    ...{ backchannel_logout_uri: `${origin}/login/backchannel-logout`, backchannel_logout_session_required: true },
  });
  const login = provider && {
    login: { issuer: provider.issuer, clientId: "gateway", clientSecret: CLIENT_SECRET, name: "Example Corp" },
  };
  const rule: Partial<Record<keyof PersonRule, unknown>> = { everybody: true, profile: "all" };
  const authNow = { ...login, people: [rule], ...options.auth };
  const startMachine = async () => {
    const store = openStore();
    const shared = { store, scope: "people" };
    const settings = { publicUrl: origin, profiles: { all: {} }, auth: authNow };
    const onError = (text: string, error: unknown): void => void problems.push({ text, error });
    const written = { ...options.config, gateway: settings };
    const place = createWorkspace();
    place.write("user", JSON.stringify(written));
    let { auth } = (await place.load()).gateway;
    const keepsTokens = (): boolean => options.keepsTokens === true;
    const own = { publicUrl: origin, place: shared, folder, keepsTokens, onError };
    const upstream = await openUpstream({ ...own, auth: () => auth });
    const logins = openLogins({ place: shared, publicUrl: origin, upstream });
    const { credentials } = upstream;
    const watch = options.watch === undefined ? {} : { watch: options.watch };
    const { crib, gateway } = await openGateway(written, {
      ...{ place, crib: { shared, credentials, askLogin: logins.asker, ...watch }, gateway: { shared } },
    });
    ({ auth } = crib.config.gateway);
    const people = await openPeople({
      ...{ gateway: crib.config.gateway, publicUrl: origin, place: shared, folder, front: gateway, upstream, onError },
      connect: {
        ...{ ...logins, credentials, givenTo: (caller) => serversOfPerson(crib, caller) },
        servers: () => serversWithLogins(crib.config),
      },
      person: { tools: (caller) => toolsOfPerson(crib, caller), calls: async () => [] },
      note: (note) => void notes.push(note as PeopleNote),
    });
    const door = await createHttpServer({
      ...{ host: "127.0.0.1", port: 0, access: { ...crib.config.gateway, token: TOKEN }, people },
      ...{ publicUrl: origin, mcp: gateway.handleHttp, api: null, metrics: null, page: null },
    });
    return {
      port: door.port,
      async close() {
        await door.close();
        await gateway.close();
        await people.close();
        logins.close();
        await upstream.close();
      },
    };
  };
  const start = async (): Promise<void> => {
    for (let count = 0; count < (options.machines ?? 3); count++) doors.push(await startMachine());
  };
  await start();
  const place = { store: openStore(), scope: "people" };
  const people = createPeopleRows(place);
  const authorizations = createAuthorizations(place, { people, log: (note) => void notes.push(note) });
  onTestFinished(async () => {
    people.close();
    front.closeAllConnections();
    front.close();
    for (const door of doors) await door.close();
  });
  return {
    ...{ origin, folder, tables, place, people, authorizations, notes, problems },
    invitations: createInvitations(place, { publicUrl: origin, people }),
    /** Fails where the test has asked for none. */
    get provider() {
      if (provider === null) throw new Error("this world has no provider");
      return provider;
    },
    /** A browser in which somebody has logged in. */
    async logIn(
      subject: string,
      path = "/login",
    ): Promise<{ readonly jar: BrowserJar; readonly arrival: Awaited<ReturnType<BrowserJar["open"]>> }> {
      const jar = createBrowserJar();
      await provider?.signIn(subject);
      const arrival = await jar.open(`${origin}${path}`);
      return { jar, arrival };
    },
    /** Ends all machines, and starts as many others, with these settings of `auth` from then on. */
    async restart(auth: object = {}): Promise<void> {
      Object.assign(authNow, auth);
      for (const door of doors.splice(0)) await door.close();
      await start();
    },
    /** Everything that is stored. */
    dump: () =>
      JSON.stringify(tables, (_, value) =>
        value instanceof Map ? [...value] : value instanceof Set ? [...value] : value,
      ),
  };
}
