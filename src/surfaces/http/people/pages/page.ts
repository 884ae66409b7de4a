import { createHash } from "node:crypto";
import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { type Html, html } from "./html.ts";
import { PAGE_STYLE } from "./page-style.ts";

/** A page for people that works without a script, unless it names one. */
export interface PeoplePage {
  readonly title: string;
  readonly body: Html;
  /** It shows much, so that it takes the width of a table. */
  readonly isWide?: true;
  /** The path of a script of ours. */
  readonly script?: string;
  /**
   * Where its forms lead in the end besides this server, as sources of a content security policy: browsers hold a
   * redirect that answers a form to be a part of it.
   */
  readonly formsLeadTo?: readonly string[];
}

const STYLE_HASH = createHash("sha256").update(PAGE_STYLE).digest("base64");

const SAFE = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  // With "no-referrer" browsers would send "Origin: null" with our own forms.
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
} as const;

export function sendPage(
  response: ServerResponse,
  status: number,
  page: PeoplePage,
  headers: OutgoingHttpHeaders = {},
): void {
  const { script, formsLeadTo = [] } = page;
  const policy = [
    `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; img-src 'self'`,
    ...(script === undefined ? [] : ["script-src 'self'; connect-src 'self'"]),
    `form-action ${["'self'", ...formsLeadTo].join(" ")}; base-uri 'none'; frame-ancestors 'none'`,
  ];
  const body = toText(page);
  const size = Buffer.byteLength(body);
  response.writeHead(status, {
    ...SAFE,
    "content-security-policy": policy.join("; "),
    "content-length": size,
    ...headers,
  });
  response.end(body);
}

/** Sends a browser elsewhere, with GET whatever it came with. */
export function sendElsewhere(response: ServerResponse, location: string, headers: OutgoingHttpHeaders = {}): void {
  response.writeHead(303, { location, "cache-control": "no-store", "referrer-policy": "no-referrer", ...headers });
  response.end();
}

function toText({ title, body, script, isWide }: PeoplePage): string {
  const end = script === undefined ? null : html`<script src="${script}" type="module"></script>`;
  const { html: text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Toolcrib</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<style>${{ html: PAGE_STYLE }}</style>
</head>
<body>
<main${isWide === true ? { html: ' class="wide"' } : null}>
<p class="brand">Toolcrib</p>
<h1>${title}</h1>
${body}
</main>
${end}
</body>
</html>
`;
  return text;
}
