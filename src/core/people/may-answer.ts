import { isSamePerson, type Person } from "./person.ts";

/** Whose calls an approver may answer for: those of every server and tool, or of these servers alone. */
export type Approves = "all" | ReadonlySet<string>;

/** Who answers a call that waits. */
export interface Answerer {
  /** For people and the log. */
  readonly by: string;
  /** Null: the owner of this Toolcrib, by its own token or at its terminal. */
  readonly person: Person | null;
  readonly approves: Approves;
}

/** What decides about who may answer a call. */
export interface AnswerableCall {
  /** The server that would run it; null if none would. */
  readonly server: string | null;
  /** The person who makes it; null where none is known. */
  readonly caller: Person | null;
  /** Whether a person other than the caller has to answer. */
  readonly fourEyes: boolean;
}

/** Why somebody may not answer a call (O9), for them and the log; null if they may. */
export function whyNotAnswer(
  { server, caller, fourEyes }: AnswerableCall,
  { person, approves }: Answerer,
): string | null {
  if (approves !== "all" && approves.size === 0) return "this needs the role approver";
  if (approves !== "all" && (server === null || !approves.has(server)))
    return server === null
      ? "this needs the role approver without a list of servers, because no server would run the call"
      : `this needs the role approver for the server ${JSON.stringify(server)}`;
  if (!fourEyes) return null;
  if (person === null) return "four eyes are asked for, so a person who has logged in has to answer";
  if (caller !== null && isSamePerson(caller, person))
    return "four eyes are asked for, and it is this person's own call";
  return null;
}
