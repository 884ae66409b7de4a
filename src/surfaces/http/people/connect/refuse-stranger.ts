import { describePerson, type Person } from "../../../../core/people/person.ts";
import { HttpRefusal } from "../../api/answers.ts";
import type { ConnectRoom } from "./connect-room.ts";

/**
 * Somebody opened what belongs to another person: a link that was sent on, so that they would log in for the other one.
 * Both learn of it from the log.
 */
export function refuseStranger(
  { log }: Pick<ConnectRoom, "log">,
  visitor: Person,
  { owner, what }: { readonly owner: Person; readonly what: string },
): HttpRefusal {
  const [principal, other] = [describePerson(visitor), describePerson(owner)];
  log({
    type: "login.refused",
    text: `${principal} opened ${what} that ${other} had asked for, and was refused`,
    principal,
  });
  log({
    type: "login.refused",
    text: `${what} that ${other} had asked for was opened by ${principal}, and refused`,
    principal: other,
  });
  const text =
    "this was asked for by somebody else. Whoever sent it to you may have wanted to act in your name: do not go on, and tell those who look after the gateway";
  return new HttpRefusal(403, "http.forbidden", text);
}
