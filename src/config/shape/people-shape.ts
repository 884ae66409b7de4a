import type { PersonRule } from "../../core/people/map-person.ts";
import { ROLES } from "../../core/people/person.ts";
import { CODE_USES } from "../../core/scene/scene-settings.ts";
import { type ConfigNode, isNull, nodeAt } from "../../core/shape/node.ts";
import { itemsAt } from "../../core/shape/read-node.ts";
import {
  choice,
  type Flaw,
  flag,
  list,
  map,
  names,
  number,
  type PresentOf,
  placed,
  record,
  sourcedShape,
  text,
  to,
} from "../../core/shape/shape.ts";
import { filters } from "./filter-shape.ts";
import { usageLimits } from "./limit-shape.ts";
import { permissions } from "./permission-shape.ts";
import { noticeUnset } from "./server-shape.ts";
import { someNames } from "./some-names.ts";

/** What a client or a person is given: never more than the configuration as a whole allows. */
const profileShape = placed(
  record(
    {
      agent: sourcedShape(text({ about: "the agent that it works as" })),
      include: names({ about: "offer only these tools" }),
      exclude: names({ about: "offer all tools except these" }),
      code: sourcedShape(choice(CODE_USES, { about: "as `code`, for this profile alone" })),
      permissions: record(
        {
          allow: permissions.fields.allow,
          ask: permissions.fields.ask,
          deny: permissions.fields.deny,
        },
        { about: "rules beside those of `permissions`" },
      ),
      limits: usageLimits,
      filters: filters("filters beside those of `filters`"),
    },
    { trust: { what: "profile" } },
  ),
);

/** Whom it is about, and what they get. Its origin is what `why` shows. */
const personRule = to(
  placed(
    record(
      {
        group: someNames("people groups; one of them is enough"),
        subject: text({ about: "one person, by the subject that the issuer gives them; name the `issuer` too" }),
        issuer: text({ about: "people of this issuer" }),
        client: someNames("clients, by id, or by the host of an id that is an address"),
        claim: map(list(text()), { about: "claims of the token, each with the values that count" }),
        everybody: flag({ about: "true: every person that can log in, if nothing else is asked for", default: false }),
        profile: text({ about: "the entry of `gateway.profiles` that they get" }),
        roles: list(choice(ROLES), { about: "what they may do at the gateway itself" }),
        servers: someNames("the servers whose calls they answer, with the role `approver`; by default all"),
      },
      { valid: checkRule },
    ),
  ),
  ({ origin, group, subject, issuer, client, claim, everybody, profile, roles, servers }): PersonRule => ({
    ...{ origin, issuer, subject, everybody, profile, servers },
    groups: group,
    clients: client,
    claims: claim ?? new Map(),
    roles: roles ?? [],
  }),
);

function checkRule(node: ConfigNode): Flaw | null {
  const has = (key: string): boolean => !isNull(nodeAt(node, key));
  const asks = ["group", "subject", "issuer", "client", "claim"].some(has);
  const everybody = nodeAt(node, "everybody");
  const isForAll = everybody?.kind === "scalar" && everybody.value === true;
  if (!asks && !isForAll)
    return { text: "names nobody: give a group, a subject, an issuer, a client or a claim, or say everybody: true" };
  if (asks && isForAll) return { text: "says everybody: true and asks for something besides; leave one of them out" };
  if (has("subject") && !has("issuer"))
    return { text: "has a subject without its issuer: the same subject elsewhere is somebody else" };
  if (has("servers") && !itemsAt(node, "roles").some((role) => role.kind === "scalar" && role.value === "approver"))
    return { text: "names servers, which are for the role approver alone: add roles: [approver]" };
  if (!has("profile") && !has("roles")) return { text: "gives nothing: name a profile, roles, or both" };
  return null;
}

export const secret = (about: string, what: string) =>
  to(text({ about, expands: true, secret: "all", unit: true }), (value, place) => {
    noticeUnset(place, what, place.key);
    return place.unset.length > 0 || value === "" ? null : value;
  });

const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"] as const;

const issuerShape = placed(
  record(
    {
      issuer: text({ about: "the issuer, exactly as its tokens name it", required: true }),
      audience: someNames("what its tokens may be for besides this gateway's own address, such as `api://ID`"),
      algorithms: list(choice(ALGORITHMS), {
        about: "how its tokens may be signed",
        default: ["RS256", "PS256", "ES256", "EdDSA"],
      }),
      jwksUri: text({ about: "address of its keys, if they are elsewhere than it says itself" }),
      groups: text({ about: "the claim with people groups", default: "groups" }),
    },
    { about: "one of them" },
  ),
);

const loginShape = placed(
  record(
    {
      issuer: text({ about: "the identity provider, exactly as its tokens name it", required: true }),
      clientId: text({ about: "id of the gateway, as registered there", required: true, expands: true }),
      clientSecret: secret("its secret, if it has one", "the login's secret"),
      groups: text({ about: "the claim with people groups", default: "groups" }),
      scopes: list(text(), { about: "scopes to ask for", default: ["openid", "profile", "email", "offline_access"] }),
      name: text({ about: "what the button to log in calls it" }),
    },
    { about: "where people log in" },
  ),
);

/** People and their clients: absent, static tokens alone open the gateway. */
export const auth = placed(
  record(
    {
      login: loginShape,
      issuers: list(issuerShape, { about: "issuers whose tokens count: service accounts, CI", default: [] }),
      people: list(personRule, {
        about: "who gets which profile and roles; no matching rule means no tools",
        default: [],
      }),
      clients: someNames(
        "clients that people may use, by id or by the host of an id that is an address; by default all",
      ),
      registration: flag({
        about: "whether clients without a metadata document may register themselves",
        default: true,
      }),
      recheck: number(1_000, {
        about: "milliseconds after which the identity provider is asked again whether a person may still come in",
        default: 900_000,
      }),
      keys: list(secret("a sealing key", "a sealing key"), {
        about:
          "keys that seal stored secrets, 32 bytes each in base64 or hex; the first one seals, the others still open; by default one is made in your state folder",
      }),
    },
    {
      about: "logging in: the identity provider, other issuers, and who gets what",
      trust: { what: "who may come in" },
    },
  ),
);
export type AuthConfig = PresentOf<typeof auth>;

export const profiles = map(profileShape, { about: "what clients and people can be given, by name", default: {} });
