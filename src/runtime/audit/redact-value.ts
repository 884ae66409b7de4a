import type { Config } from "../../config/config.ts";
import { isSecretKey, replaceSecrets } from "../../system/text/secret-forms.ts";

const HIDDEN = "[hidden]";
/** Shorter values are words like `true` or `8080`, and hiding them would only garble the text. */
const SHORTEST = 8;

export interface Redactor {
  text(text: string): string;
  /** The value without secrets; the same object if there are none. */
  value(value: unknown): unknown;
}

/** Removes what the configuration marks as secret, what is secret by its name, and what looks like a secret. */
export function createRedactor(secrets: readonly string[]): Redactor {
  const known = [...new Set(secrets.filter((secret) => secret.length >= SHORTEST))].sort((a, b) => b.length - a.length);
  const text = (given: string): string => {
    const clean = known.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), given);
    return replaceSecrets(clean, HIDDEN);
  };
  const clean = (value: unknown, depth: number): unknown => {
    if (typeof value === "string") return text(value);
    if (typeof value !== "object" || value === null) return value;
    if (depth > MOST_DEPTH) return HIDDEN;
    if (Array.isArray(value)) return value.map((item) => clean(item, depth + 1));
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [
        text(key),
        isSecretKey(key) && isFilled(member) ? HIDDEN : clean(member, depth + 1),
      ]),
    );
  };
  return { text, value: (value) => clean(value, 0) };
}

const MOST_DEPTH = 50;

function isFilled(value: unknown): boolean {
  return value !== null && value !== undefined && value !== "" && typeof value !== "boolean";
}

function queryOf(address: string): readonly string[] {
  return URL.canParse(address) ? [...new URL(address).searchParams.values()] : [];
}

/** Every secret of a configuration. */
export function secretsOf(config: Config): readonly string[] {
  const { audit, gateway, servers, extensions, agents, filters } = config;
  const all = [...servers.values(), ...[...agents.values()].flatMap((agent) => [...agent.servers.values()])];
  const ofServers = all.flatMap(({ transport }) => {
    if (transport.type === "stdio") return [...transport.env.values()];
    const query = queryOf(transport.url);
    const auth =
      transport.type === "openapi"
        ? [...transport.auth.values()].flatMap((value) => [value, value.slice(value.indexOf(":") + 1)])
        : [];
    return [...auth, ...[...transport.headers.values()].flatMap((value) => [value, ...value.split(/\s+/)]), ...query];
  });
  const ofLogins = all.flatMap(({ oauth, credentials }) => [
    oauth?.clientSecret ?? "",
    (credentials?.kind === "exchange" ? credentials.client?.clientSecret : null) ?? "",
  ]);
  const tokens = [gateway.token?.value ?? "", ...gateway.clients.map(({ token }) => token ?? "")];
  const ofPeople = [gateway.auth?.login?.clientSecret ?? "", ...(gateway.auth?.keys ?? []).map((key) => key ?? "")];
  const { slack, to } = gateway.approvals;
  const ofApprovals = [
    ...[slack?.token ?? "", slack?.signingSecret ?? ""],
    ...to.flatMap(({ secret, webhook, teams }) => [secret ?? "", ...queryOf(webhook ?? ""), ...queryOf(teams ?? "")]),
  ];
  const ofExports = audit.export.flatMap(({ headers, url }) => [
    ...[...headers.values()].flatMap((value) => [value, ...value.split(/\s+/)]),
    ...queryOf(url ?? ""),
  ]);
  const ofProfiles = [...gateway.profiles.values()].flatMap((profile) => profile.filters);
  const ofJudges = [...filters, ...ofProfiles].map(({ judge }) => judge?.secret ?? "");
  return [
    ...[...tokens, ...ofExports],
    ...ofPeople,
    ...ofApprovals,
    ...ofLogins,
    ...ofJudges,
    ...ofServers,
    ...ofServices(config),
    ...extensions.flatMap(({ env }) => [...env.values()]),
  ];
}

/** Of what serves models, vectors, pages and memories, and of the store. */
function ofServices({ providers, search, memoryServer, store }: Config): readonly string[] {
  const { embedder, web } = search;
  const ofHeaders = (headers: Readonly<Record<string, string>> = {}): readonly string[] =>
    Object.entries(headers).flatMap(([name, value]) => (isSecretKey(name) ? [value, ...value.split(/\s+/)] : []));
  const addresses = [web, memoryServer].flatMap((one) =>
    one === null ? [] : [...ofHeaders(one.headers), ...queryOf(one.url)],
  );
  return [
    ...Object.values(providers).flatMap(({ key = "", headers, baseUrl = "" }) => [
      ...[key, ...ofHeaders(headers)],
      ...queryOf(baseUrl),
    ]),
    ...[embedder?.key ?? "", ...queryOf(embedder?.url ?? "")],
    ...addresses,
    ...passwordOf(store.url.value),
  ];
}

/** As written, and as it is. */
function passwordOf(address: string): readonly string[] {
  if (!URL.canParse(address)) return [];
  const { password } = new URL(address);
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}
