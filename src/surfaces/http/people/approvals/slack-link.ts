import type { IncomingMessage, ServerResponse } from "node:http";
import { describePerson } from "../../../../core/people/person.ts";
import { HttpRefusal } from "../../api/answers.ts";
import { onlyMethod, whoIs } from "../login/login-room.ts";
import { isFormToken } from "../pages/cookies.ts";
import { type Html, html } from "../pages/html.ts";
import { sendElsewhere, sendPage } from "../pages/page.ts";
import { readForm } from "../pages/read-form.ts";
import type { ApprovalsRoom } from "./approvals-room.ts";

export const SLACK_LINK_PATH = "/me/slack";

type LinkedAccount = Awaited<ReturnType<ApprovalsRoom["accounts"]["list"]>>[number];

/** A person's Slack accounts, on their page. */
export function slackPart(accounts: readonly LinkedAccount[], token: string): Html {
  const rows = accounts.map(
    ({ name, team, user }) => html`
<li><strong>${name}</strong> <span class="dim">${user} of ${team}</span>
<form method="post" action="${SLACK_LINK_PATH}"><input type="hidden" name="token" value="${token}"><input type="hidden" name="team" value="${team}"><input type="hidden" name="user" value="${user}"><button aria-label="Unlink: ${name}">Unlink</button></form></li>`,
  );
  return html`
<section aria-labelledby="slack"><h2 id="slack">My Slack accounts: ${accounts.length}</h2>
${accounts.length === 0 ? html`<p>With a linked account you answer calls that wait by a click in Slack, as far as you are an approver.</p>` : html`<ul class="rows">${rows}</ul>`}
<form method="post" action="${SLACK_LINK_PATH}"><input type="hidden" name="token" value="${token}"><button>Link a Slack account</button></form></section>`;
}

/** Makes a code, or takes an account's link away. */
export async function linkSlack(
  room: ApprovalsRoom,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  onlyMethod(request, "GET", "HEAD", "POST");
  const known = await whoIs(room, request);
  if (known === null) return sendElsewhere(response, room.loginAddress("/me"));
  // Reading the address does nothing: a code is made by a click on the person's page.
  if (request.method !== "POST") return sendElsewhere(response, "/me");
  const form = await readForm(request, response);
  if (!isFormToken(form.get("token"), known.cookie))
    throw new HttpRefusal(403, "http.forbidden", "this form is not from the page of this browser; open /me");
  const { caller } = known.session;
  const [team, user] = [form.get("team"), form.get("user")];
  if (team === undefined || user === undefined) {
    const code = await room.accounts.begin(caller);
    return sendPage(response, 200, { title: "Link a Slack account", body: codePart(code) });
  }
  if (!(await room.accounts.unlink(caller, { team, user })))
    throw new HttpRefusal(404, "http.not-found", "there is no such account of yours, or not any more");
  const principal = describePerson(caller);
  room.note({ type: "person.slack", text: `${principal} unlinked the Slack account ${user} of ${team}`, principal });
  sendElsewhere(response, "/me?done=slack");
}

function codePart(code: string): Html {
  return html`<p>In Slack, in any channel, send this within ten minutes. Nobody else sees it. The account that sends it can then answer for
you, so type it yourself, and give it to nobody.</p>
<pre tabindex="0">/toolcrib link ${code}</pre>
<p><a href="/me">My page</a></p>`;
}
