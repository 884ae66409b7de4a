import { guessShownName } from "../../../core/catalog/shown-name.ts";
import type { ChangedCalls, Rehearsal } from "../../../runtime/rehearsal/rehearse.ts";
import { escapeText, writeLines } from "../../../system/text/escape-text.ts";
import type { CommandInput } from "../command-line/command.ts";
import { countText } from "../terminal/name-list.ts";
import { formatTable } from "../terminal/table.ts";

interface About {
  readonly policy: string;
  readonly replaces: string | null;
  readonly since: string | null;
}

const MOST_CHANGES = 40;
const MOST_TOOLS = 12;
const WORDS = { allow: "allowed", ask: "asked", deny: "denied", hidden: "hidden" } as const;

/** The report for people. Nothing that was in a call is in it. */
export function formatRehearsal(report: Rehearsal, about: About, io: CommandInput["io"]): string {
  const { now, next, changes, people } = report;
  const outcomes = (["allow", "ask", "deny", "hidden"] as const).map((outcome) => [
    WORDS[outcome],
    String(now[outcome]),
    String(next[outcome]),
  ]);
  const width = io.isTTY ? io.columns : null;
  return writeLines([
    describe(report, about),
    "",
    ...formatTable(
      [{ heading: "calls" }, { heading: "now", align: "right" }, { heading: "new", align: "right" }],
      outcomes,
      width,
    ),
    ...section("Who gets other tools", people.flatMap(describePerson)),
    ...section("Calls that would go otherwise", changes.length === 0 ? [] : formatChanges(changes, width)),
    ...section("Good to know", describeLimits(report)),
  ]);
}

function describe({ calls, judged }: Rehearsal, { policy, replaces, since }: About): string {
  const place = replaces === null ? "" : ` in the place of ${replaces}`;
  const time = since === null ? "" : ` since ${since}`;
  const some = judged === calls ? "" : `, ${judged} of which can be judged`;
  return escapeText(`${policy}${place}, for ${countText(calls, "call")}${time}${some}. Nothing is run or changed.`);
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", title, ...lines.map((line) => `  ${line}`)];
}

function describePerson({ who, lost, gained }: Rehearsal["people"][number]): readonly string[] {
  const list = (tools: readonly string[]): string => {
    const more = tools.length > MOST_TOOLS ? `, and ${tools.length - MOST_TOOLS} more` : "";
    return `${tools.slice(0, MOST_TOOLS).join(", ")}${more}`;
  };
  return [
    ...(lost.length === 0 ? [] : [escapeText(`${who} loses ${list(lost)}`)]),
    ...(gained.length === 0 ? [] : [escapeText(`${who} gains ${list(gained)}`)]),
  ];
}

function formatChanges(changes: readonly ChangedCalls[], width: number | null): readonly string[] {
  const rows = changes
    .slice(0, MOST_CHANGES)
    .map(({ who, tool, from, to, calls, code, origin }) => [
      String(calls),
      escapeText(who),
      escapeText(guessShownName(tool)),
      `${WORDS[from]} → ${WORDS[to]}`,
      escapeText(`${code}${origin === "" || origin === "default" ? "" : ` (${origin})`}`),
    ]);
  const columns = [
    { heading: "calls", align: "right" },
    { heading: "who", shrinks: true },
    { heading: "tool", shrinks: true },
    { heading: "what" },
    { heading: "why", shrinks: true },
  ] as const;
  const more = changes.length - MOST_CHANGES;
  return [...formatTable(columns, rows, width), ...(more > 0 ? [`and ${more} more; --json has all of them`] : [])];
}

function describeLimits(report: Rehearsal): readonly string[] {
  const { unjudged, withNewestList, redacted, underOthers, unknownServers, notAsked } = report;
  return [
    ...unjudged.map(({ why, calls, tools }) => {
      const names = tools.length === 0 ? "" : ` (${tools.map(guessShownName).join(", ")})`;
      return escapeText(`${countText(calls, "call")} cannot be judged: ${why}${names}`);
    }),
    ...(withNewestList === 0
      ? []
      : [`${countText(withNewestList, "call")} judged with the newest list of tools: theirs was not kept`]),
    ...(redacted === 0
      ? []
      : [`${countText(redacted, "call")} judged without what the log hides, which a rule may ask about`]),
    ...(underOthers === 0 ? [] : [`${countText(underOthers, "call")} made under another policy than that of now`]),
    ...(unknownServers.length === 0
      ? []
      : [escapeText(`the tools of ${unknownServers.join(", ")} are on no list yet`)]),
    ...(notAsked.length === 0 ? [] : [escapeText(`not asked here: ${notAsked.join(", ")}`)]),
  ];
}
