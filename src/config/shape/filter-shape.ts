import { FILTER_ACTS, FILTER_SIDES } from "../../core/filters/filter.ts";
import { FILTER_KINDS, type FilterKind } from "../../core/filters/kinds.ts";
import { type ConfigNode, isNull, nodeAt } from "../../core/shape/node.ts";
import {
  type Covered,
  choice,
  type Flaw,
  list,
  names,
  number,
  type PresentOf,
  placed,
  record,
  text,
  to,
} from "../../core/shape/shape.ts";

const judge = to(
  record(
    {
      url: text({
        about: "its address; https, or on this machine",
        required: true,
        expands: true,
        valid: checkAddress,
      }),
      secret: text({ about: "what requests to it are signed with", required: true, expands: true, secret: "all" }),
      timeout: number(1, { about: "milliseconds that it may take", most: 60_000, default: 2_000 }),
      onFailure: choice(["block", "continue"], {
        about: "what happens when it does not answer, or in no form that can be used",
        default: "block",
      }),
    },
    { about: "a program that judges calls and results over HTTP", unit: true },
  ),
  (judge, { unset, node, around }) => {
    // Left out it would let everything pass, so it stays, and fails as its `onFailure` says.
    if (unset.length > 0)
      around.notices.push({
        level: "warning",
        code: "config.variable-unset",
        text: `a filter's judge cannot be asked: ${unset.map((name) => `\${${name}}`).join(", ")} ${unset.length === 1 ? "is" : "are"} not set`,
        names: unset,
        origin: node.origin,
      });
    return { ...judge, isUnset: unset.length > 0 || judge.secret === "" };
  },
);
export type FilterJudge = PresentOf<typeof judge>;

const filter = placed(
  record(
    {
      name: text({
        about: "what logs and masked text call it, such as `customer-number`; `pattern` and `judge` need one",
        valid: checkName,
      }),
      kinds: list(choice(Object.keys(FILTER_KINDS) as readonly FilterKind[]), {
        about: "kinds of data that ship with Toolcrib",
      }),
      pattern: text({ about: "what to look for, as a regular expression of RE2, which takes linear time" }),
      judge,
      on: list(choice(FILTER_SIDES), { about: "where it looks", default: ["arguments", "results"] }),
      do: choice(FILTER_ACTS, {
        about: "what happens to what it finds: replace it, refuse the call or its result, or only log it",
        default: "mask",
      }),
      tools: names({ about: "only for these tools, as in lists of tools; by default for all" }),
      except: names({ about: "not for these tools" }),
    },
    { oneOf: ["kinds", "pattern", "judge"], valid: checkFilter, trust: { what: "filter", guards: coversAll } },
  ),
);
/** One filter; exactly one of `kinds`, `pattern` and `judge` is there. */
export type FilterConfig = PresentOf<typeof filter>;

export const filters = (about: string) => list(filter, { about, merge: "union", default: [] });

/** Nobody knows what a filter would have found, so without it no call is let through. */
function coversAll(): Covered {
  return { kind: "hook", event: "preToolUse", matcher: null, when: null, dialect: null };
}

function checkFilter(node: ConfigNode): Flaw | null {
  const has = (key: string): boolean => !isNull(nodeAt(node, key));
  if (!has("name") && (has("pattern") || has("judge")))
    return { text: 'needs a "name": logs and masked text never show what was found, only what it is called' };
  if (has("judge") && has("do")) return { text: 'has a judge, which says itself what is done; leave "do" out' };
  return null;
}

function checkName(node: ConfigNode): Flaw | null {
  const isFit = node.kind === "scalar" && /^[a-z0-9][a-z0-9-]{0,39}$/.test(String(node.value));
  return isFit ? null : { text: "must be up to 40 lower-case letters, digits and hyphens" };
}

function checkAddress(node: ConfigNode): Flaw | null {
  if (node.kind !== "scalar" || typeof node.value !== "string" || node.value.includes("$")) return null;
  if (!URL.canParse(node.value)) return { text: "must be an address such as https://judge.example.com/" };
  const { protocol, hostname } = new URL(node.value);
  if (protocol === "https:" || (protocol === "http:" && LOOPBACK.has(hostname))) return null;
  return { text: "must begin with https:, or be an address of this machine" };
}

const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);
