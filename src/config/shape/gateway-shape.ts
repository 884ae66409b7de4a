import { nameList } from "../../core/codes/origin.ts";
import { CODE_USES } from "../../core/scene/scene-settings.ts";
import { type ConfigNode, isEmpty, isNull, nodeAt } from "../../core/shape/node.ts";
import {
  choice,
  either,
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
import { isNoneOf, strictestFirst } from "../../core/shape/trust-marks.ts";
import { approvals } from "./approvals-shape.ts";
import { usageLimits } from "./limit-shape.ts";
import { auth, profiles } from "./people-shape.ts";
import { noticeUnset } from "./server-shape.ts";

/** Only `off` removes in every program: for clients, no built-ins exist next to a person's own servers. */
export const builtins = (about: string) =>
  sourcedShape(
    either([choice(["off", "read", "all"]), list(text())], {
      about,
      merge: "replace",
      trust: {
        what: "built-in tools",
        when: (node: ConfigNode) => isNoneOf("off")(node) && !isEmpty(node),
        atOnce: "`off` and `[]`: they take tools away",
      },
    }),
  );

/** An empty token would let everybody in, so it is none; nor is one whose variable is not set. */
const token = (about: string, what: string) =>
  to(
    sourcedShape(text({ about, expands: true, secret: "all", unit: true, trust: { what: "token" } })),
    (written, place) => {
      const name = place.path.replace(/\.token$/, place.path.includes("[") ? "" : ".token");
      noticeUnset(place, what, name);
      return place.unset.length > 0 || written.value === "" ? null : written;
    },
  );

const client = placed(
  record(
    {
      name: text({ about: "a name for it, also for `connect --profile`" }),
      token: token(
        "the token of this client; without one, only `connect --profile` can use the entry",
        "a gateway client",
      ),
      agent: sourcedShape(text({ about: "the agent it always works as" })),
      include: names({ about: "offer only these tools" }),
      exclude: names({ about: "offer all tools except these" }),
      code: sourcedShape(choice(CODE_USES, { about: "as `code`, for this client alone" })),
      profile: sourcedShape(text({ about: "the entry of `gateway.profiles` that it is given, besides all this" })),
    },
    { trust: { what: "gateway client" }, valid: checkClient },
  ),
);

const limit = (about: string, usual: number) =>
  sourcedShape(number(1, { about, default: usual, trust: { what: "limit of clients" } }));

const knownClient = placed(
  record(
    {
      ownSearch: flag({ about: "it searches tools itself, so it gets all of them", nullable: true }),
      maxTools: number(1, { about: "how many tools it accepts", nullable: true }),
      listChanged: flag({ about: "it asks again when the list of tools changes", nullable: true }),
    },
    { trust: { what: "facts about a client" } },
  ),
);

export const gateway = record(
  {
    host: sourcedShape(
      text({
        about: "address to listen on",
        default: "127.0.0.1",
        trust: {
          what: "open address",
          when: isNoneOf("127.0.0.1", "localhost", "::1"),
          atOnce: "`127.0.0.1`, `localhost` and `::1`: nobody else can connect",
        },
      }),
    ),
    port: sourcedShape(number(0, { about: "port to listen on", most: 65_535, default: 8787, trust: { what: "port" } })),
    /** The one source of its own address for people and clients (O1); null: what runs here is for this machine. */
    publicUrl: to(
      sourcedShape(
        text({
          about: "the address under which people and clients reach it, such as `https://tools.example.com`",
          expands: true,
          trust: { what: "public address" },
          valid: checkPublicUrl,
        }),
      ),
      (written) => ({ ...written, value: new URL(written.value).origin }),
    ),
    trustedProxies: names({
      about: "addresses or networks of proxies in front of it, whose `X-Forwarded-For` names the caller",
      default: [],
      trust: { what: "trusted proxies" },
    }),
    profiles,
    auth,
    limits: usageLimits,
    /** Null if none is configured, or its variable is not set. */
    token: token("the token that clients must send", "the gateway's token"),
    approvals,
    runs: sourcedShape(
      flag({
        about: "whether the inspector can start runs of agents in the workspace",
        default: true,
        narrow: strictestFirst(false, true),
        trust: { what: "runs from the inspector" },
      }),
    ),
    resumeWindow: sourcedShape(
      number(0, {
        about: "milliseconds that a client has to come back for what it waits for, after its connection broke",
        default: 300_000,
        trust: { what: "time to come back" },
      }),
    ),
    upstreams: record(
      {
        most: sourcedShape(
          number(1, { about: "how many of them run at once", default: 500, trust: { what: "limit of connections" } }),
        ),
        perPerson: sourcedShape(
          number(1, { about: "how many of them one person has", default: 50, trust: { what: "limit of connections" } }),
        ),
        idle: sourcedShape(
          number(1_000, {
            about: "milliseconds without use after which one ends, until its person uses it again",
            default: 600_000,
            trust: { what: "end of connections" },
          }),
        ),
      },
      { about: "connections to servers that belong to one person each, where `auth` lets people in", default: {} },
    ),
    capacity: record(
      {
        clients: limit("clients that are connected at once, all together", 10_000),
        perToken: limit("clients of one token, or of one person with one program", 256),
        perPerson: limit("clients of one person, with whatever programs", 256),
        silent: limit("clients that have been silent for a minute, all together; a later request opens one again", 512),
        whole: limit(
          "clients that are held whole; of others that are silent, only streams and a row of the store",
          256,
        ),
        connections: limit("connections over HTTP; a client that listens has two", 15_000),
      },
      { about: "how much it takes on; who comes after that is told to try again later", default: {} },
    ),
    /** The server whose tools and prompts clients see without its name in front; null for none. */
    unprefixed: sourcedShape(
      text({
        about: "the server whose tools and prompts keep their own names, without a prefix",
        trust: { what: "names without their server" },
      }),
    ),
    builtins: builtins("which built-in tools clients get; by default none, unless there are no other tools"),
    /** By the beginning of a client's name. */
    knownClients: map(knownClient, {
      about: "facts about clients, by the beginning of their name; they override the built-in table",
      default: {},
    }),
    /** An entry without a token is for local clients only, by name; one with neither matches nobody. */
    clients: to(list(client, { about: "clients with their own token, agent or tools", default: [] }), (clients) =>
      clients.flatMap(({ token: presented, exclude, ...rest }) =>
        presented === null && !rest.name
          ? []
          : [{ ...rest, token: presented?.value ?? null, exclude: exclude ?? nameList([], rest.origin) }],
      ),
    ),
  },
  { about: "the MCP gateway", default: {} },
);
export type GatewayConfig = PresentOf<typeof gateway>;

function checkClient(node: ConfigNode): Flaw | null {
  if (!isNull(nodeAt(node, "token")) || !isEmptyText(nodeAt(node, "name"))) return null;
  return { text: 'has neither "token" nor "name", so it matches nobody', origin: node.origin };
}

function isEmptyText(node: ConfigNode | undefined): boolean {
  return isNull(node) || (node?.kind === "scalar" && node.value === "");
}

/** Paths, queries and names of users in it would not survive a comparison by clients (O1). */
function checkPublicUrl(node: ConfigNode): Flaw | null {
  if (node.kind !== "scalar" || typeof node.value !== "string" || node.value.includes("$")) return null;
  if (!URL.canParse(node.value)) return { text: "must be an address such as https://tools.example.com" };
  const { protocol, hostname, origin, href } = new URL(node.value);
  if (href !== `${origin}/`) return { text: "must be an address without a path, a query or a name of a user" };
  if (protocol === "https:" || (protocol === "http:" && LOOPBACK.has(hostname))) return null;
  return { text: "must begin with https:, or be an address of this machine" };
}

const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);
