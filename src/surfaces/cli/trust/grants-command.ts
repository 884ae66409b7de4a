import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { describeGrant, type Grant } from "../../../runtime/permissions/grant.ts";
import type { GrantStore } from "../../../runtime/permissions/grant-store.ts";
import { writeLines } from "../../../system/text/escape-text.ts";
import { parseWord, usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { printAnswer } from "../command-line/print-answer.ts";
import { withGrants } from "../stored/workspace-grants.ts";

const ACTIONS = ["list", "revoke"] as const;

/** `toolcrib grants [list|revoke ID]`: approvals that outlived their question. */
export async function runGrants(input: CommandInput): Promise<number> {
  const [word = "list", id] = input.args.operands;
  const action = parseWord("the action", word, ACTIONS);
  if (action === "list" && id !== undefined) throw usage(`toolcrib grants list has no use for ${JSON.stringify(id)}`);
  return withGrants(input, (store) => (action === "list" ? list(input, store) : revoke(input, store, id)));
}

async function list(input: CommandInput, store: GrantStore): Promise<number> {
  const rows = store.grants.map(toRow);
  printAnswer(input, { grants: rows }, () =>
    rows.length === 0 ? "No approvals are kept.\n" : writeLines(rows.map(formatRow)),
  );
  return 0;
}

async function revoke(input: CommandInput, store: GrantStore, id: string | undefined): Promise<number> {
  if (id === undefined) throw usage("toolcrib grants revoke needs the ID of a grant");
  const found = store.grants.find((grant) => grant.id === id);
  if (found === undefined || !(await store.revoke(id)))
    throw new ToolcribError(
      "grant.not-found",
      `there is no grant ${JSON.stringify(id)}; "toolcrib grants" shows them all`,
      { names: store.grants.map((grant) => grant.id) },
    );
  printAnswer(input, { revoked: toRow(found) }, () => writeLines([`Revoked: ${describeGrant(found)}`]));
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
