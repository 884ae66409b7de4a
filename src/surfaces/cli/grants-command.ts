import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { describeGrant, type Grant } from "../../runtime/permissions/grant.ts";
import { openGrants } from "../../runtime/permissions/grant-store.ts";
import { toLines } from "../../system/text/escape-text.ts";
import { parseWord, usage } from "./arguments.ts";
import type { CommandInput } from "./command.ts";
import { printAnswer } from "./print-answer.ts";
import { findWorkspace } from "./running/find-running.ts";
import { placesOf } from "./running/work-place.ts";

const ACTIONS = ["list", "revoke"] as const;

/** `toolcrib grants [list|revoke ID]`: approvals that outlived their question. */
export async function runGrants(input: CommandInput): Promise<number> {
  const { io, args } = input;
  const [word = "list", id] = args.operands;
  const action = parseWord("the action", word, ACTIONS);
  const workspace = await findWorkspace(input);
  const store = await openGrants({ ...placesOf(io), workspace });
  if (action === "list") {
    if (id !== undefined) throw usage(`toolcrib grants list has no use for ${JSON.stringify(id)}`);
    const rows = store.grants.map(toRow);
    printAnswer(input, { grants: rows }, () =>
      rows.length === 0 ? "No approvals are kept.\n" : toLines(rows.map(formatRow)),
    );
    return 0;
  }
  if (id === undefined) throw usage("toolcrib grants revoke needs the ID of a grant");
  const found = store.grants.find((grant) => grant.id === id);
  if (found === undefined || !(await store.revoke(id)))
    throw new ToolcribError(
      "grant.not-found",
      `there is no grant ${JSON.stringify(id)}; "toolcrib grants" shows them all`,
      { names: store.grants.map((grant) => grant.id) },
    );
  printAnswer(input, { revoked: toRow(found) }, () => toLines([`Revoked: ${describeGrant(found)}`]));
  return 0;
}

function toRow(grant: Grant) {
  const { id, scope, tool, rules, digest, created, expires } = grant;
  const date = (time: number): string => new Date(time).toISOString();
  return {
    id,
    scope,
    tool,
    rules,
    digest,
    created: date(created),
    expires: expires === null ? null : date(expires),
    covers: describeGrant(grant),
  };
}

function formatRow({ id, scope, covers, created, expires }: ReturnType<typeof toRow>): string {
  const end = expires === null ? "" : `, until ${expires}`;
  return `${id}  ${scope.padEnd(7)}  ${covers}  (since ${created}${end})`;
}
