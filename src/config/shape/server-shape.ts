import { createHash } from "node:crypto";
import { join, resolve } from "node:path";
import type { NameList, Origin } from "../../core/codes/origin.ts";
import { serverFields } from "../../core/scene/scene-shapes.ts";
import { expandVariables, referencesIn } from "../../core/shape/expand-variables.ts";
import { type ConfigNode, isEmpty, isNull, mapNode, nodeAt, toCanonicalText } from "../../core/shape/node.ts";
import {
  choice,
  either,
  type FieldsOf,
  type Flaw,
  flag,
  list,
  map,
  number,
  type PresentOf,
  record,
  type ShapePlace,
  sourcedShape,
  text,
  to,
} from "../../core/shape/shape.ts";
import { checkCredentials, credentials } from "./credential-shape.ts";

/** A path, absolute once it is read: relative ones start from their file, `~` is the home folder. */
export const path = <const E extends Parameters<typeof text>[0]>(extra: E) =>
  to(text<NonNullable<E>>(extra as NonNullable<E>), (value, { node, around }) =>
    toAbsolute(value, around.home, around.baseOf(node.origin)),
  );

export function toAbsolute(value: string, home: string, base: string): string {
  return value === "~" || value.startsWith("~/") ? join(home, value.slice(1)) : resolve(base, value);
}

/** People write `PORT: 8080`, though an environment holds text only. */
const looseText = (extra: Parameters<typeof text>[0]) =>
  to(either([text({ ...extra, blank: true }), number(Number.NEGATIVE_INFINITY, { fraction: true }), flag()]), String);
export const secretText = looseText({ expands: true, secret: "all" });
/** A variable or a header. */
export const namedText = looseText({ expands: true, secret: "named" });

/** How a process is started: servers, extensions. */
const processFields = {
  command: text({ about: "program to start", expands: true }),
  args: list(text({ expands: true, secret: "option", blank: true }), { about: "its arguments" }),
  env: map(namedText, { about: "variables added to its environment" }),
  cwd: path({ about: "folder it starts in, relative to this file" }),
};

const authAddress = (about: string) => text({ about, expands: true, valid: checkHttps });

/** Null: one for each person where people log in, for a server keeps what it is told; else one for all (O10). */
const isolation = sourcedShape(
  choice(["shared", "person", "client"], {
    about:
      "one connection for all clients of a gateway, for each person, or for each client; by default for each person where people log in (`gateway.auth`), else for all",
  }),
);

/** How somebody logs in at a server: this machine's person, or each person of a gateway. */
export const oauthShape = record(
  {
    clientId: text({
      about: "id of the client registered there, or the https address of its metadata document",
      expands: true,
    }),
    clientSecret: text({ about: "its secret, if it has one", expands: true, secret: "all" }),
    scope: text({ about: "scopes to ask for, separated by spaces, instead of those that the server names" }),
    callbackPort: number(1, {
      about: "local port to which the browser returns; by default any free one",
    }),
    resource: text({
      about: "the resource that tokens are for (RFC 8707), in place of what the server says; `omit` names none",
    }),
    audience: text({ about: "`audience` to ask for, where an authorization server wants one" }),
    authorizationUrl: authAddress("where people log in, for a server that does not say so; goes with `tokenUrl`"),
    tokenUrl: authAddress("where tokens come from, for a server that does not say so"),
    revocationUrl: authAddress("where tokens are revoked, for a server that does not say so"),
  },
  { about: "how people log in at it; most servers need none of this", valid: checkOauth },
);

function checkOauth(node: ConfigNode): Flaw | null {
  const has = (key: string): boolean => !isNull(nodeAt(node, key));
  if (has("authorizationUrl") === has("tokenUrl"))
    return has("revocationUrl") && !has("tokenUrl")
      ? { text: "has a revocationUrl without authorizationUrl and tokenUrl" }
      : null;
  return { text: "has only one of authorizationUrl and tokenUrl, which go together" };
}

function checkHttps(node: ConfigNode): Flaw | null {
  const value = node.kind === "scalar" ? String(node.value) : "";
  if (value.includes("${")) return null;
  const url = URL.canParse(value) ? new URL(value) : null;
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && LOOPBACK.test(url.hostname));
  if (url === null || !isSafe) return { text: "must be an https address, or one of this machine" };
  return url.username === "" && url.password === "" ? null : { text: "must not hold a user or password" };
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** An MCP server as in `.mcp.json`, and Toolcrib's additions. */
export const serverShape = record(
  {
    type: choice(["stdio", "local", "http", "sse"], {
      about: "how to reach it; by default as `command` or `url` implies; `local` means `stdio`",
    }),
    ...processFields,
    // Expanded with the entry, which knows its `envFile`.
    env: map(looseText({ secret: "named" }), { about: "variables added to its environment" }),
    url: text({ about: "address of a remote server", expands: true, secret: "url" }),
    headers: map(namedText, { about: "HTTP headers" }),
    oauth: oauthShape,
    credentials,
    ...serverFields,
    timeout: sourcedShape(number(1, { about: "milliseconds a call may take" })),
    startTimeout: sourcedShape(number(1, { about: "milliseconds it may take to start" })),
    inheritEnv: sourcedShape(
      either([flag(), list(text())], {
        about:
          "which variables of your environment it gets: by default all except those that look like secrets; a list adds those it names, also from `envFile`, `true` passes on your whole environment, `false` only a few basic ones",
      }),
    ),
    envFile: text({
      about:
        "file with variables for it, inside the workspace and relative to it: keys and tokens, a few harmless ones, and what `inheritEnv` lists or `env` refers to; `env` takes precedence",
    }),
    trustAnnotations: sourcedShape(flag({ about: "trust its hints about what its tools do", default: false })),
    /** Whether clients of a gateway share one connection; with `client` each has its own, and gets its questions. */
    isolation,
    enabled: sourcedShape(flag({ about: "false: keep the entry, but do not start it", default: true })),
  },
  {
    merge: "replace",
    oneOf: ["command", "url"],
    trust: { what: "server" },
    unit: true,
    valid: checkServer,
  },
);

/** A server with all that is needed to start or reach it. */
export const serverEntry = to(serverShape, ({ type, command, args, env, cwd, url, headers, ...rest }, place) => {
  const { node, around } = place;
  const file = nodeAt(node, "envFile");
  const fromFile = file === undefined ? undefined : around.envFiles?.get(file);
  const own = [...(env ?? [])].map(([name, value]) => [name, expandOwn(value, place, fromFile?.referred)] as const);
  const process = toProcess({ command, args, env: new Map([...(fromFile?.passed ?? []), ...own]), cwd });
  if (rest.enabled.value) noticeUnset(place, `server ${place.key}`, place.key);
  return {
    ...rest,
    name: place.key,
    origin: node.origin,
    transport: toTransport(process, url, type === "sse" ? "sse" : "http", headers ?? new Map()),
    /** Hash of how it is started or reached, as written, for pins. */
    launch: launchHash(node),
    /** Its variables that are not set. It must not be started while there are any. */
    unset: place.unset as readonly string[],
    /** The entry of `disabledServers` that switches it off. */
    disabledBy: null as Origin | null,
  };
});
export type ServerConfig = PresentOf<typeof serverEntry>;

/** The person's environment comes first: a file of the workspace must not redefine `${HOME}`. */
function expandOwn(
  value: string,
  { node, around, unset }: ShapePlace,
  file: ReadonlyMap<string, string> = new Map(),
): string {
  if (around.env === null || !value.includes("$")) return value;
  const sources = [around.keysOf?.(node.origin) ?? {}, around.env, Object.fromEntries(file)];
  // Only those that are named: what was looked at is noted down.
  const named = referencesIn(value).flatMap((name) => {
    const found = sources.find((variables) => Object.hasOwn(variables, name));
    return found === undefined ? [] : [[name, found[name]] as const];
  });
  const expanded = expandVariables(value, Object.fromEntries(named));
  for (const name of expanded.unset) if (!unset.includes(name)) unset.push(name);
  return expanded.text;
}

function toTransport(
  process: ServerProcess,
  url: string | null,
  type: "http" | "sse",
  headers: ReadonlyMap<string, string>,
): Transport {
  return url === null ? { type: "stdio", ...process } : { type, url, headers };
}

export interface ServerProcess {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: ReadonlyMap<string, string>;
  /** Absolute, or null for the workspace. */
  readonly cwd: string | null;
}

/** How a server is started or reached; an API is a server as well. */
type Transport =
  | ({ readonly type: "stdio" } & ServerProcess)
  | { readonly type: "http" | "sse"; readonly url: string; readonly headers: ReadonlyMap<string, string> }
  | {
      readonly type: "openapi";
      /** The document: an absolute path, or an address. */
      readonly spec: string;
      /** Where the API is; empty if the document alone says so. */
      readonly url: string;
      readonly headers: ReadonlyMap<string, string>;
      /** By the name of a security scheme. */
      readonly auth: ReadonlyMap<string, string>;
      /** Where tokens come from; null leaves that to the document. */
      readonly tokenUrl: string | null;
      readonly include: NameList | null;
      readonly exclude: NameList;
      readonly refs: readonly string[];
    };

export const extensionEntry = to(
  record(
    {
      name: text({ about: "its name", required: true }),
      ...processFields,
      command: text({ about: "program to start", expands: true, required: true }),
    },
    { trust: { what: "extension" }, unit: true },
  ),
  ({ name, ...fields }, place) => {
    noticeUnset(place, `extension ${name}`, name);
    return { name, origin: place.node.origin, ...toProcess(fields), unset: place.unset as readonly string[] };
  },
);

/** The process of an agent that speaks the Agent Client Protocol. */
export const acpEntry = to(
  record(
    { ...processFields, command: text({ about: "program to start", expands: true, required: true }) },
    {
      about: "run it as this program, which speaks the Agent Client Protocol, when `task` starts it",
      trust: { what: "ACP agent" },
      unit: true,
    },
  ),
  (fields, place) => ({ ...toProcess(fields), unset: place.unset as readonly string[] }),
);
export type AcpConfig = PresentOf<typeof acpEntry>;

function toProcess({ command, args, env, cwd }: FieldsOf<typeof processFields>): ServerProcess {
  return { command: command ?? "", args: args ?? [], env: env ?? new Map(), cwd };
}

/** The notice about variables that are not set, if there are any. */
export function noticeUnset({ node, around, unset }: ShapePlace, what: string, name: string): void {
  if (unset.length === 0) return;
  const variables = unset.map((variable) => `\${${variable}}`).join(", ");
  around.notices.push({
    level: "warning",
    code: "config.variable-unset",
    text: `${what} is left out: ${variables} ${unset.length === 1 ? "is" : "are"} not set`,
    names: [name, ...unset],
    origin: node.origin,
  });
}

function checkServer(node: ConfigNode): Flaw | null {
  return checkTransport(node) ?? checkCredentials(node);
}

/** `type` must agree with the rest of the server. */
function checkTransport(node: ConfigNode): Flaw | null {
  const type = nodeAt(node, "type");
  if (type?.kind !== "scalar") return null;
  const missing = type.value === "stdio" || type.value === "local" ? "command" : "url";
  const other = missing === "url" ? "command" : "url";
  if (isNull(nodeAt(node, other)) || !isNull(nodeAt(node, missing))) return null;
  return { text: `is of type ${String(type.value)}, which takes ${missing}; found ${other}`, origin: type.origin };
}

const LAUNCH_KEYS = [
  ...["type", "command", "args", "env", "envFile", "inheritEnv", "cwd", "url", "headers"],
  ...["spec", "baseUrl", "auth", "tokenUrl", "refs"],
];

/**
 * Hash of the values as written, so that a rotated token does not change it. What says nothing does not count: an app writes
 * `env: {}` and the transport where a file leaves them out.
 */
export function launchHash(node: ConfigNode): string {
  const parts = LAUNCH_KEYS.flatMap((key): [string, ConfigNode][] => {
    const part = nodeAt(node, key);
    if (part === undefined || isNull(part) || isEmpty(part) || (key === "type" && isUsual(part))) return [];
    return [[key, part]];
  });
  return createHash("sha256")
    .update(toCanonicalText(mapNode(parts, node.origin)))
    .digest("hex");
}

/** The transport that `command` or `url` stands for by itself. */
function isUsual(type: ConfigNode): boolean {
  return type.kind === "scalar" && type.value !== "sse";
}
