import type { Origin } from "../../core/codes/origin.ts";
import { type ConfigNode, nodeAt } from "../../core/shape/node.ts";
import {
  choice,
  either,
  type Flaw,
  flag,
  list,
  number,
  type PresentOf,
  placed,
  record,
  type ShapePlace,
  text,
  to,
} from "../../core/shape/shape.ts";
import { isNoneOf, strictestFirst } from "../../core/shape/trust-marks.ts";
import { secret } from "./people-shape.ts";
import { noticeUnset } from "./server-shape.ts";
import { someNames } from "./some-names.ts";

/** Who is asked about calls that need approval; the strictest first. */
const ASKED = ["deny", "inspector", "approvers", "client"] as const;
const HOUR = 3_600_000;

const slackShape = to(
  record(
    {
      token: secret("the bot's token, `xoxb-…`", "the Slack app's token"),
      signingSecret: secret("what Slack signs its requests with", "the Slack app's signing secret"),
      api: text({
        about: "address of Slack's API",
        default: "https://slack.com/api",
        valid: checkAddress,
      }),
    },
    { about: "the Slack app in which approvers click" },
  ),
  ({ token, signingSecret, api }) => (token === null || signingSecret === null ? null : { token, signingSecret, api }),
);

/** Null where its variable is not set. */
const address = (about: string) =>
  to(text({ about, expands: true, secret: "url", unit: true, valid: checkAddress }), (value, place: ShapePlace) => {
    noticeUnset(place, "an address for approvals", place.key);
    return place.unset.length > 0 || value === "" ? null : value;
  });

const toldShape = placed(
  record(
    {
      slack: text({ about: "a Slack channel, by id such as `C0123ABCD`", expands: true }),
      webhook: address("an address that gets each question as JSON, signed with `secret`"),
      teams: address("the address of a Teams workflow that posts an adaptive card"),
      secret: secret("what requests to `webhook` are signed with", "the webhook's secret"),
      servers: someNames("questions about these servers alone"),
      after: number(0, { about: "milliseconds without an answer after which it is told", default: 0 }),
    },
    { oneOf: ["slack", "webhook", "teams"], valid: checkTold, about: "one of them" },
  ),
);

const settingsShape = record({
  ask: choice(ASKED, { about: "who is asked, as the word alone", default: "client" }),
  fourEyes: either([flag(), list(text())], {
    about:
      "whether a person other than the caller has to answer: for all calls that are asked about, or of these servers",
    default: false,
  }),
  expires: number(1_000, { about: "milliseconds after which an unanswered question is a no", default: HOUR }),
  to: list(toldShape, {
    about: "who is told of a question besides the pages; one with `after` when nobody answers",
    default: [],
  }),
  slack: slackShape,
});

/** The word alone says who is asked; nothing of the rest then exists. */
export const approvals = to(
  either([choice(ASKED), settingsShape], {
    about: "who is asked about calls that need approval: a word, or a record with where questions go",
    default: "client",
    merge: "replace",
    narrow: strictestFirst(...ASKED),
    trust: { what: "approvals", when: isNoneOf("deny"), atOnce: "`deny`: it is the strictest" },
  }),
  (written, { node }): ApprovalSettings => {
    const { origin } = node;
    if (typeof written === "string")
      return { value: written, origin, fourEyes: [], expires: null, to: [], slack: null };
    const { ask, fourEyes, expires, to: told, slack } = written;
    return { value: ask, origin, fourEyes: fourEyes === true ? "all" : fourEyes || [], expires, to: told, slack };
  },
);

export interface ApprovalSettings {
  readonly value: (typeof ASKED)[number];
  readonly origin: Origin;
  /** The servers about whose calls another person than the caller has to be asked. */
  readonly fourEyes: "all" | readonly string[];
  /** Null: a question can be answered for as long as its call waits. */
  readonly expires: number | null;
  readonly to: readonly ToldPlace[];
  readonly slack: SlackApp | null;
}
/** Somewhere questions go. */
export type ToldPlace = PresentOf<typeof toldShape>;
export type SlackApp = NonNullable<PresentOf<typeof slackShape>>;

function checkTold(node: ConfigNode): Flaw | null {
  const has = (key: string): boolean => nodeAt(node, key) !== undefined;
  if (has("webhook") && !has("secret"))
    return { text: 'has a "webhook" without "secret": nobody could tell who sent it' };
  if (has("secret") && !has("webhook")) return { text: 'has a "secret", which is for "webhook" alone' };
  return null;
}

/** What is sent there is for nobody on the way; variables in it are not known yet. */
function checkAddress(node: ConfigNode): Flaw | null {
  if (node.kind !== "scalar" || typeof node.value !== "string" || node.value.includes("$")) return null;
  if (!URL.canParse(node.value)) return { text: "must be an https address" };
  const { protocol, hostname, username, password } = new URL(node.value);
  if (username !== "" || password !== "") return { text: "must not have a user name in it" };
  if (protocol === "https:" || (protocol === "http:" && LOOPBACK.test(hostname))) return null;
  return { text: "must begin with https:, or be an address of this machine" };
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
