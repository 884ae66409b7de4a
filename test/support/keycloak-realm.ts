import { randomUUID } from "node:crypto";
import { onTestFinished } from "vitest";

/** A Keycloak that runs already, as `npm run keycloak` starts it. */
export interface Keycloak {
  readonly origin: string;
  readonly admin: string;
  readonly password: string;
}

export interface KeycloakRealm {
  readonly issuer: string;
  /** What every user of the realm logs in with. */
  readonly password: string;
  /** The subject of a user. */
  subjectOf(user: string): Promise<string>;
  setEnabled(user: string, isEnabled: boolean): Promise<void>;
  join(user: string, group: string): Promise<void>;
  leave(user: string, group: string): Promise<void>;
  /** Ends all sessions of a user, of which Keycloak then tells its clients. */
  logOut(user: string): Promise<void>;
  /** Takes the sessions back that refresh tokens for `offline_access` belong to. */
  endOfflineSessions(user: string): Promise<void>;
  /** New keys sign from now on. */
  rotateKeys(): Promise<void>;
  /** The id of the key that signs. */
  signingKey(): Promise<string>;
}

export interface RealmOptions {
  /** Of the gateway. */
  readonly publicUrl: string;
  readonly clientSecret: string;
  /** Whether a group is written as its path, as Keycloak does when nobody says otherwise. */
  readonly hasFullPath: boolean;
  /** Users by name, each with the paths of their groups. */
  readonly users: Readonly<Record<string, readonly string[]>>;
  /** Paths of further groups. */
  readonly groups?: readonly string[];
}

interface Named {
  readonly id: string;
  readonly name?: string;
}

/** Imports a realm with one client, the gateway, and removes it when the test ends. */
export async function importRealm(keycloak: Keycloak, options: RealmOptions): Promise<KeycloakRealm> {
  const realm = `corp-${randomUUID().slice(0, 8)}`;
  const password = "user-password-canary-0123456789";
  const ask = async (method: string, path: string, body?: unknown): Promise<Response> => {
    const answer = await fetch(`${keycloak.origin}/admin/realms${path}`, {
      method,
      headers: { authorization: `Bearer ${await adminToken(keycloak)}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`Keycloak: ${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  const read = async <T>(path: string): Promise<T> => (await ask("GET", `/${realm}${path}`)).json() as Promise<T>;
  await ask("POST", "", toRealm(realm, password, options));
  onTestFinished(async () => void (await ask("DELETE", `/${realm}`)));
  const subjectOf = async (user: string): Promise<string> => {
    const [found] = await read<readonly Named[]>(`/users?exact=true&username=${user}`);
    if (found === undefined) throw new Error(`the realm has no user ${user}`);
    return found.id;
  };
  const membership = async (user: string, group: string): Promise<string> => {
    const { id } = await read<Named>(`/group-by-path${group}`);
    return `/${realm}/users/${await subjectOf(user)}/groups/${id}`;
  };
  return {
    password,
    subjectOf,
    issuer: `${keycloak.origin}/realms/${realm}`,
    setEnabled: async (user, enabled) =>
      void (await ask("PUT", `/${realm}/users/${await subjectOf(user)}`, { enabled })),
    join: async (user, group) => void (await ask("PUT", await membership(user, group))),
    leave: async (user, group) => void (await ask("DELETE", await membership(user, group))),
    logOut: async (user) => void (await ask("POST", `/${realm}/users/${await subjectOf(user)}/logout`)),
    async endOfflineSessions(user) {
      const [client] = await read<readonly Named[]>("/clients?clientId=toolcrib");
      const sessions = await read<readonly Named[]>(`/users/${await subjectOf(user)}/offline-sessions/${client?.id}`);
      if (sessions.length === 0) throw new Error(`${user} has no offline session`);
      for (const { id } of sessions) await ask("DELETE", `/${realm}/sessions/${id}?isOffline=true`);
    },
    async rotateKeys() {
      const { id } = await read<Named>("");
      await ask("POST", `/${realm}/components`, {
        ...{
          name: "rotated",
          providerId: "rsa-generated",
          providerType: "org.keycloak.keys.KeyProvider",
          parentId: id,
        },
        config: { priority: ["1000"], enabled: ["true"], active: ["true"], keySize: ["2048"], algorithm: ["RS256"] },
      });
    },
    async signingKey() {
      const { active } = await read<{ readonly active: Readonly<Record<string, string>> }>("/keys");
      return active.RS256 ?? "";
    },
  };
}

async function adminToken({ origin, admin, password }: Keycloak): Promise<string> {
  const grant = { grant_type: "password", client_id: "admin-cli", username: admin, password };
  const body = new URLSearchParams(grant);
  const answer = await fetch(`${origin}/realms/master/protocol/openid-connect/token`, { method: "POST", body });
  const { access_token } = (await answer.json()) as { access_token?: string };
  if (access_token === undefined) throw new Error(`Keycloak does not let ${admin} in: ${answer.status}`);
  return access_token;
}

/** In the words of a realm that Keycloak exports. */
function toRealm(realm: string, password: string, options: RealmOptions): object {
  const { publicUrl, clientSecret, hasFullPath, users, groups = [] } = options;
  const groupsMapper = {
    ...{ name: "groups", protocol: "openid-connect", protocolMapper: "oidc-group-membership-mapper" },
    config: { "claim.name": "groups", "full.path": String(hasFullPath), "id.token.claim": "true" },
  };
  const paths = [...new Set([...groups, ...Object.values(users).flat()])];
  return {
    ...{ realm, enabled: true, sslRequired: "none", groups: toGroups(paths) },
    clients: [
      {
        ...{ clientId: "toolcrib", secret: clientSecret, publicClient: false, standardFlowEnabled: true },
        ...{ redirectUris: [`${publicUrl}/login/callback`], protocolMappers: [groupsMapper] },
        attributes: {
          "backchannel.logout.url": `${publicUrl}/login/backchannel-logout`,
          "backchannel.logout.session.required": "true",
        },
      },
    ],
    users: Object.entries(users).map(([username, memberOf]) => ({
      ...{ username, enabled: true, email: `${username}@example.com`, emailVerified: true },
      ...{ firstName: username, lastName: "Example", groups: memberOf },
      // Users of an import have no other roles than these, and without them no refresh token that outlives the session.
      realmRoles: [`default-roles-${realm}`],
      credentials: [{ type: "password", value: password, temporary: false }],
    })),
  };
}

/** Paths as a tree. */
function toGroups(paths: readonly string[]): readonly object[] {
  const names = [...new Set(paths.map((path) => path.split("/")[1] ?? ""))];
  return names.map((name) => {
    const inside = paths.filter((path) => path.startsWith(`/${name}/`)).map((path) => path.slice(name.length + 1));
    return { name, subGroups: toGroups(inside) };
  });
}
