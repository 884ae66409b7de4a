import { passesIban, passesLuhn } from "./check-digits.ts";
import type { TextRange } from "./filter.ts";

/** Groups of digits with at most one sign between them, of the length of a card's number. */
const RUN = /(?<![\w.+-])\d(?:[ \-\u00a0\u2011\u202f]?\d){12,18}(?![\w]|[.-]\d)/g;
/** Which numbers networks give out: by their first digits and their length. */
const NETWORKS: readonly (readonly [first: RegExp, lengths: readonly number[]])[] = [
  [/^4/, [13, 16, 19]],
  [/^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16]],
  [/^3[47]/, [15]],
  [/^(?:30[0-5]|309|36|38|39)/, [14, 16]],
  [/^(?:6011|64[4-9]|65)/, [16, 19]],
  [/^(?:352[89]|35[3-8])/, [16, 19]],
  [/^62/, [16, 17, 18, 19]],
  [/^(?:5018|5020|5038|5893|6304|6759|676[1-3])/, [13, 14, 15, 16, 17, 18, 19]],
  [/^220[0-4]/, [16]],
  [/^(?:60|81|82|508)/, [16]],
];

export function findCards(text: string): readonly TextRange[] {
  const found: TextRange[] = [];
  for (const match of text.matchAll(RUN)) {
    const digits = match[0].replace(/\D/g, "");
    if (!isCard(digits)) continue;
    found.push({ from: match.index, to: match.index + match[0].length });
  }
  return found;
}

function isCard(digits: string): boolean {
  const isGiven = NETWORKS.some(([first, lengths]) => lengths.includes(digits.length) && first.test(digits));
  return isGiven && passesLuhn(digits);
}

const START = /(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?=[ \u00a0-]?[A-Za-z0-9])/g;
/** How long the account numbers of a country are; others are none. */
const LENGTHS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    ...{ AD: 24, AE: 23, AL: 28, AT: 20, AZ: 28, BA: 20, BE: 16, BG: 22, BH: 22, BI: 27, BR: 29, BY: 28, CH: 21 },
    ...{ CR: 22, CY: 28, CZ: 24, DE: 22, DJ: 27, DK: 18, DO: 28, EE: 20, EG: 29, ES: 24, FI: 18, FK: 18, FO: 18 },
    ...{ FR: 27, GB: 22, GE: 22, GI: 23, GL: 18, GR: 27, GT: 28, HN: 28, HR: 21, HU: 28, IE: 22, IL: 23, IQ: 23 },
    ...{ IS: 26, IT: 27, JO: 30, KW: 30, KZ: 20, LB: 28, LC: 32, LI: 21, LT: 20, LU: 20, LV: 21, LY: 25, MC: 27 },
    ...{ MD: 24, ME: 22, MK: 19, MN: 20, MR: 27, MT: 31, MU: 30, NI: 28, NL: 18, NO: 15, OM: 23, PK: 24, PL: 28 },
    ...{ PS: 29, PT: 25, QA: 29, RO: 24, RS: 22, RU: 33, SA: 24, SC: 31, SD: 18, SE: 24, SI: 19, SK: 24, SM: 27 },
    ...{ SO: 23, ST: 25, SV: 28, TL: 23, TN: 24, TR: 26, UA: 29, VA: 22, VG: 24, XK: 20, YE: 30 },
  }),
);

export function findIbans(text: string): readonly TextRange[] {
  const found: TextRange[] = [];
  for (const { index: from, 0: start } of text.matchAll(START)) {
    const length = LENGTHS.get(start.slice(0, 2).toUpperCase());
    if (length === undefined || from < (found.at(-1)?.to ?? 0)) continue;
    const account = readAccount(text, from, length);
    if (account !== null && passesIban(account.signs)) found.push({ from, to: account.to });
  }
  return found;
}

/** So many letters and digits, with at most one sign between two of them; null if the text has fewer or more. */
function readAccount(
  text: string,
  from: number,
  length: number,
): { readonly signs: string; readonly to: number } | null {
  let signs = "";
  let at = from;
  for (let wasGap = false; signs.length < length; at += 1) {
    const isPart = isLetterOrDigit(text.charCodeAt(at));
    if (isPart) signs += text.charAt(at);
    else if (wasGap || !GAPS.has(text.charAt(at))) return null;
    wasGap = !isPart;
  }
  return isLetterOrDigit(text.charCodeAt(at)) ? null : { signs, to: at };
}

const GAPS: ReadonlySet<string> = new Set([" ", "\u00a0", "-"]);

function isLetterOrDigit(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}
