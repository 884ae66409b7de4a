import type { TextRange } from "./filter.ts";

const MOST_LOCAL = 64;
const MOST_HOST = 253;
const LOCAL = /[\w.!#$%&'*+/=?^`{|}~\u00a1-\uffff-]/;
const HOST = /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+\p{L}[\p{L}\p{N}-]{0,61}[\p{L}\p{N}]/u;

/** Mail addresses, found from their sign outwards, so that text without one costs nothing. */
export function findEmails(text: string): readonly TextRange[] {
  const found: TextRange[] = [];
  let last = 0;
  for (let at = text.indexOf("@"); at !== -1; at = text.indexOf("@", at + 1)) {
    const from = startOfLocal(text, at, last);
    const host = HOST.exec(text.slice(at + 1, at + 1 + MOST_HOST))?.[0];
    if (host === undefined || from === at || isLogin(text, from) || isMasked(text.slice(from, at))) continue;
    last = at + 1 + host.length;
    found.push({ from, to: last });
  }
  return found;
}

function startOfLocal(text: string, at: number, least: number): number {
  let from = at;
  while (from > least && at - from < MOST_LOCAL && LOCAL.test(text.charAt(from - 1))) from -= 1;
  // `?mail=a@b.example` and `/users/a@b.example`: what is in front of the name is not part of it.
  from += text.slice(from, at).search(/[^/=&?]*$/);
  while (from < at && /[.'*`{|}]/.test(text.charAt(from))) from += 1;
  return from;
}

/** The user of an address, as in `ssh://git@host`: no mail address. */
function isLogin(text: string, from: number): boolean {
  return /:\/\/[^\s/@]{0,100}$/.test(text.slice(Math.max(0, from - 104), from));
}

function isMasked(local: string): boolean {
  return /^x+(?:[.+_-]x+)*$/.test(local) && local.length > 2;
}

const GAP = "[ .\\-\\u00a0\\u2011\\u202f]?";
/** With the code of a country: a plus sign or `00`, or behind `tel:`. */
const INTERNATIONAL = `(?<![\\w+.])(?:\\+|00(?=[1-9]\\d{1,2}[ .\\-\\u00a0(/]))[1-9](?:${GAP}(?:\\(\\d{1,5}\\)|[/ ]?\\d)){6,14}(?![\\w])`;
/** As written in North America, where area and exchange never begin with 0 or 1. */
const AMERICAN = "(?<![\\w+.-])(?:1[ .-])?(?:\\([2-9]\\d{2}\\) ?|[2-9]\\d{2}[-.])[2-9]\\d{2}[-.]\\d{4}(?![\\w-])";
const PHONE = new RegExp(`${INTERNATIONAL}|${AMERICAN}`, "g");
const TELLS_PHONE = /phone|mobil|\bfax\b|\bcell|\btel\b|telefon|handy|msisdn|whatsapp/i;
/** In the way of one country, only where the field says that it is one. */
const NATIONAL = /^\s*\(?0?\d(?:[ ./()-]{0,2}\d){5,14}\s*$/;

export function findPhones(text: string, about: string): readonly TextRange[] {
  if (about !== "" && TELLS_PHONE.test(about) && NATIONAL.test(text)) return [{ from: 0, to: text.length }];
  const found: TextRange[] = [];
  for (const match of text.matchAll(PHONE)) {
    const digits = match[0].replace(/\D/g, "").replace(/^00/, "");
    if (digits.length < 8 || digits.length > 15 || /^(\d)\1*$/.test(digits.slice(-7))) continue;
    found.push({ from: match.index, to: match.index + match[0].length });
  }
  return found;
}
