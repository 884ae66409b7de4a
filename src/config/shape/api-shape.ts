import { defaultOrigin, nameList, type Origin } from "../../core/codes/origin.ts";
import { serverFields } from "../../core/scene/scene-shapes.ts";
import type { ConfigNode } from "../../core/shape/node.ts";
import { type Flaw, flag, list, map, names, number, record, sourcedShape, text, to } from "../../core/shape/shape.ts";
import { checkCredentials, credentials } from "./credential-shape.ts";
import {
  launchHash,
  namedText,
  noticeUnset,
  oauthShape,
  type ServerConfig,
  secretText,
  toAbsolute,
} from "./server-shape.ts";

/** An OpenAPI document whose operations are tools. */
export const apiShape = record(
  {
    spec: text({
      about: "the OpenAPI document: a file, relative to this one, or an address",
      expands: true,
      secret: "url",
      required: true,
    }),
    baseUrl: text({
      about: "address of the API; by default the first of the document's `servers`, if it is public",
      expands: true,
      secret: "url",
      valid: checkAddress,
    }),
    headers: map(namedText, { about: "HTTP headers; they need a `baseUrl`" }),
    auth: map(secretText, {
      about:
        "what proves who asks, by the name of a security scheme of the document: a key, a token, `user:password`, or `client-id:client-secret` for a token by OAuth 2; needs a `baseUrl`",
    }),
    tokenUrl: text({
      about:
        "where tokens come from for `client-id:client-secret`; by default where the document says, if that is the API's own host",
      expands: true,
      secret: "url",
      valid: checkAddress,
    }),
    include: names({
      about: "only these operations: names, `tag:NAME`, or paths such as `GET /pets/*`; `*` is anything",
    }),
    exclude: names({ about: "all operations except these" }),
    refs: list(text({ valid: checkAddress }), {
      about: "addresses below which documents may be fetched that this one refers to",
    }),
    oauth: oauthShape,
    credentials,
    ...serverFields,
    timeout: sourcedShape(number(1, { about: "milliseconds a call may take" })),
    startTimeout: sourcedShape(number(1, { about: "milliseconds it may take to read the document" })),
    trustAnnotations: sourcedShape(flag({ about: "trust that methods such as GET change nothing", default: false })),
    enabled: sourcedShape(flag({ about: "false: keep the entry, but do not use it", default: true })),
  },
  { merge: "replace", trust: { what: "server" }, unit: true, valid: checkCredentials },
);

/** An API is a server: from here on they differ only in how they are reached. */
export const apiEntry = to(
  apiShape,
  ({ spec, baseUrl, headers, auth, tokenUrl, include, exclude, refs, ...rest }, place): ServerConfig => {
    const { node, around, key } = place;
    if (rest.enabled.value) noticeUnset(place, `API ${key}`, key);
    return {
      ...rest,
      name: key,
      origin: node.origin,
      transport: {
        type: "openapi",
        spec: isAddress(spec) ? spec : toAbsolute(spec, around.home, around.baseOf(node.origin)),
        url: baseUrl ?? "",
        headers: headers ?? new Map(),
        auth: auth ?? new Map(),
        tokenUrl,
        include,
        exclude: exclude ?? nameList([]),
        refs: refs ?? [],
      },
      launch: launchHash(node),
      unset: place.unset,
      disabledBy: null as Origin | null,
      inheritEnv: null,
      envFile: null,
      // Nothing of a caller is kept in the connection itself.
      isolation: { value: "shared", origin: defaultOrigin },
    };
  },
);

function isAddress(value: string): boolean {
  return /^https?:\/\//i.test(value);
}

function checkAddress(node: ConfigNode): Flaw | null {
  const value = node.kind === "scalar" ? String(node.value) : "";
  if (value.includes("${")) return null;
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return { text: "must be an http or https address" };
  return url.username === "" && url.password === "" ? null : { text: "must not hold a user or password; use auth" };
}
