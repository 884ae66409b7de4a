import type { Notice } from "../../../core/codes/reason.ts";
import { type Caller, describePerson } from "../../../core/people/person.ts";
import { serversWithLogins } from "../../../runtime/credentials/own-servers.ts";
import { readStoredLogins } from "../../../runtime/credentials/stored-logins.ts";
import type { SourceReport } from "../../../runtime/report/source-report.ts";
import type { CommandInput } from "../command-line/command.ts";
import { readPeople } from "../people/own-people.ts";
import type { ToolQuestion } from "./question.ts";

/**
 * The question with what a person has at servers where everybody has a login or key of their own. What was started for
 * the question was started without it, and says nothing about the person.
 */
export async function withPersonLogins(
  question: ToolQuestion,
  caller: Caller,
  input: CommandInput,
): Promise<ToolQuestion> {
  const { config, sources, notices } = question;
  const servers = config === undefined ? [] : serversWithLogins(config);
  if (config === undefined || servers.length === 0) return question;
  const stored = await readPeople(input, async (own) => (own === null ? NONE : readStoredLogins(own.place, caller)));
  const who = describePerson(caller);
  const page = config.gateway.publicUrl?.value ?? "";
  const states = new Map(
    servers.map(({ name, credentials }) => {
      const what = credentials?.kind === "key" ? "key" : "login";
      return [name, toState({ name, what, who, page }, stored.get(name))] as const;
    }),
  );
  const isTheirs = ({ code, names }: Notice): boolean =>
    code.startsWith("server.") && names.length > 0 && names.every((name) => states.has(name));
  const lacks = [...states].flatMap(([name, { state, reason, next }]): Notice[] => {
    const origin = config.servers.get(name)?.origin;
    if (origin === undefined || state === "stale") return [];
    return [
      {
        level: "warning",
        code: "server.needs-auth",
        text: `server "${name}" ${reason}. ${next}`,
        names: [name],
        origin,
      },
    ];
  });
  return {
    ...question,
    ...(sources === undefined ? {} : { sources: sources.map((report) => ({ ...report, ...states.get(report.name) })) }),
    notices: [...notices.filter((notice) => !isTheirs(notice)), ...lacks],
  };
}

const NONE: ReadonlyMap<string, string | null> = new Map();

type State = Pick<SourceReport, "state" | "reason" | "next">;

/** `trouble`: why what they have is not used; null while it is, undefined if they have nothing. */
function toState(
  {
    name,
    what,
    who,
    page,
  }: { readonly name: string; readonly what: string; readonly who: string; readonly page: string },
  trouble: string | null | undefined,
): State {
  if (trouble === null) {
    const reason = `is used with the ${what} of ${who}, and lists its tools to nobody else`;
    return { state: "stale", reason, next: null };
  }
  const lack =
    trouble === undefined ? `has no ${what} of ${who} yet` : `no longer takes the ${what} of ${who}: ${trouble}`;
  const next = `They ${what === "key" ? "enter one" : "log in"} at ${page}/connect?server=${encodeURIComponent(name)}`;
  return { state: "needs-auth", reason: lack, next };
}
