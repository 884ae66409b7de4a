import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { Caller } from "../../src/core/people/person.ts";
import type { AuditNote } from "../../src/runtime/audit/audit-row.ts";
import { toolsOfPerson } from "../../src/runtime/crib/person-tools.ts";
import { createBrowserSessions } from "../../src/runtime/people/browser-sessions.ts";
import { createPeopleRows } from "../../src/runtime/people/people-rows.ts";
import { createStore } from "../../src/runtime/store/create-store.ts";
import { createMemoryBackEnd } from "../../src/runtime/store/memory-back-end.ts";
import { createMemoryTables } from "../../src/runtime/store/memory-tables.ts";
import type { Store } from "../../src/runtime/store/store.ts";
import { createGateway } from "../../src/surfaces/gateway/gateway.ts";
import { createHttpServer } from "../../src/surfaces/http/door/http-server.ts";
import { openPeople, type PeopleOptions } from "../../src/surfaces/http/people/open-people.ts";
import { createCookies } from "../../src/surfaces/http/people/pages/cookies.ts";
import type { PersonPorts } from "../../src/surfaces/http/people/person/person-routes.ts";
import { openGateway } from "../gateway/world.ts";
import { TOKEN } from "../http/door.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

export const alice: Caller = {
  ...{ issuer: "https://idp.example.com", subject: "alice", client: null, groups: ["eng"], claims: [] },
  ...{ name: "Alice Ames", email: "alice@example.com" },
};
export const bob: Caller = { ...alice, subject: "bob", name: "Bob", email: null };

export interface AuthorizationWorldOptions {
  readonly auth?: object;
  /** Further settings of the gateway. */
  readonly gateway?: object;
  /** What the log has of everybody's calls. */
  readonly calls?: Awaited<ReturnType<PersonPorts["calls"]>>;
  readonly documents?: PeopleOptions["documents"];
  readonly machines?: number;
  /** A store for each machine; in memory if absent. */
  readonly openStore?: () => Promise<Store>;
}

/** Machines behind one address that takes them in turns, and one store. The test says who logs in. */
export async function openAuthorizationWorld(options: AuthorizationWorldOptions = {}) {
  const tables = createMemoryTables();
  const openStore = options.openStore ?? (async () => createStore(createMemoryBackEnd(tables)));
  const folder = makeTempFolder();
  const notes: AuditNote[] = [];
  const problems: unknown[] = [];
  const doors: Awaited<ReturnType<typeof startMachine>>[] = [];
  let turn = 0;
  const front = createServer((request, response) => {
    const { url = "" } = request;
    if (url.startsWith("/login?")) return void logIn(url, response);
    const door = doors[turn++ % doors.length];
    if (door === undefined) return void response.writeHead(502).end();
    forward(request, response, door.port);
  });
  await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
  const cookies = createCookies(origin);
  const place = { store: await openStore(), scope: "people" };
  const people = createPeopleRows(place);
  const browsers = createBrowserSessions({ place, people, provider: null });
  const world = { person: alice as Caller | null };
  /** In the place of an identity provider. */
  const logIn = async (url: string, response: ServerResponse): Promise<void> => {
    if (world.person === null) return void response.writeHead(403).end("nobody logs in");
    const cookie = cookies.set("session", await browsers.open(world.person, null), 600);
    const back = new URL(url, origin).searchParams.get("back") ?? "/";
    response.writeHead(303, { location: back, "set-cookie": cookie }).end();
  };
  const startMachine = async () => {
    const store = await openStore();
    const shared = { store, scope: "people" };
    const rule = { everybody: true, profile: "all" };
    const settings = {
      publicUrl: origin,
      profiles: { all: {} },
      auth: { people: [rule], ...options.auth },
      ...options.gateway,
    };
    const { crib } = await openGateway({ gateway: settings }, { crib: { shared }, gateway: { shared } });
    const gateway = createGateway(crib, { version: "1", shared });
    const port = await openPeople({
      ...{ gateway: crib.config.gateway, publicUrl: origin, place: shared, folder, front: gateway },
      ...(options.documents === undefined ? {} : { documents: options.documents }),
      person: { tools: (caller) => toolsOfPerson(crib, caller), calls: async () => options.calls ?? [] },
      note: (note) => void notes.push(note),
      onError: (_, error) => void problems.push(error),
    });
    const door = await createHttpServer({
      ...{ host: "127.0.0.1", port: 0, access: { ...crib.config.gateway, token: TOKEN }, people: port },
      ...{ publicUrl: origin, mcp: gateway.handleHttp, api: null, metrics: null, page: null },
    });
    const close = async (): Promise<void> => {
      await door.close();
      await gateway.close();
      await port.close();
    };
    return { port: door.port, close };
  };
  const start = async (): Promise<void> => {
    for (let count = 0; count < (options.machines ?? 3); count++) doors.push(await startMachine());
  };
  await start();
  onTestFinished(async () => {
    people.close();
    front.closeAllConnections();
    front.close();
    for (const door of doors) await door.close();
  });
  return {
    ...{ origin, tables, notes, problems, people, browsers, place, world },
    /** Ends all machines, and starts as many others. */
    async restart(): Promise<void> {
      for (const door of doors.splice(0)) await door.close();
      await start();
    },
    browser: () => createBrowser(origin),
    /** One request with a form. */
    post: (path: string, fields: Fields, headers: Record<string, string> = {}) =>
      fetch(`${origin}${path}`, { method: "POST", body: new URLSearchParams(fields), headers, redirect: "manual" }),
    register: async (client: object) => {
      const body = JSON.stringify(client);
      const headers = { "content-type": "application/json" };
      return fetch(`${origin}/register`, { method: "POST", body, headers });
    },
  };
}

export type AuthorizationWorld = Awaited<ReturnType<typeof openAuthorizationWorld>>;
type Fields = Record<string, string> | [string, string][];

/** A browser with cookies. It follows redirects as far as they stay at our address. */
function createBrowser(origin: string) {
  const jar = new Map<string, string>();
  const go = async (address: string, init: RequestInit = {}): Promise<Response> => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { ...(init.headers as Record<string, string>), ...(cookie === "" ? {} : { cookie }) };
    const response = await fetch(new URL(address, origin), { ...init, headers, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
    }
    const location = response.headers.get("location");
    return location !== null && (location.startsWith("/") || location.startsWith(`${origin}/`))
      ? go(location)
      : response;
  };
  return {
    jar,
    go,
    /** Answers a consent page, as a person who clicks. */
    async answer(page: Response, answer: "allow" | "deny", headers: Record<string, string> = {}): Promise<Response> {
      const [, ticket = ""] = /name="ticket" value="([^"]*)"/.exec(await page.text()) ?? [];
      const body = new URLSearchParams({ ticket, answer });
      return go("/authorize", { method: "POST", body, headers: { origin, ...headers } });
    },
  };
}

function forward(request: IncomingMessage, response: ServerResponse, port: number): void {
  const { method, url, headers } = request;
  const onward = send({ host: "127.0.0.1", port, method, path: url, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on("error", () => response.destroy());
  response.on("close", () => onward.destroy());
  request.pipe(onward);
}

export const VERIFIER = "the-verifier-that-only-the-client-knows-0123456789";
export const CHALLENGE = createHash("sha256").update(VERIFIER).digest("base64url");

/** What a location holds after its question mark. */
export function parametersOf(response: Response): Record<string, string> {
  return Object.fromEntries(new URL(response.headers.get("location") ?? "http://none/").searchParams);
}
