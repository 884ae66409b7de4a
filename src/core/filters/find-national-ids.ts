import {
  digitAt,
  isDate,
  isOneDigit,
  passesLuhn,
  passesMod11Of10,
  passesVerhoeff,
  remainder,
  weigh,
} from "./check-digits.ts";
import type { TextRange } from "./filter.ts";

/** One country's number for its people. */
interface Scheme {
  /** Whether this is one, by its own check. Without separators, letters in upper case. */
  readonly passes: (value: string) => boolean;
  /** Digits alone say too little: it counts only behind one of these words, or in a field of such a name. */
  readonly behind?: RegExp;
}

/** How numbers are written, and whose they can be. */
interface WrittenShape {
  readonly as: string;
  readonly schemes: readonly Scheme[];
}

const FRANCE: Scheme = {
  passes: (value) => {
    const month = Number(value.slice(3, 5));
    const isMonth = (month >= 1 && month <= 12) || (month >= 20 && month <= 42) || month >= 50;
    const number = value.slice(0, 13).replace("2A", "19").replace("2B", "18");
    return isMonth && 97 - remainder(number, 97) === Number(value.slice(13));
  },
};
const ITALY: Scheme = { passes: (value) => value.charAt(15) === italianCheck(value.slice(0, 15)) };
const CHINA: Scheme = {
  passes: (value) => {
    const sum = weigh(value, [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]);
    return isDate(value.slice(12, 14), value.slice(10, 12)) && "10X98765432".charAt(sum % 11) === value.charAt(17);
  },
};
const FINLAND: Scheme = {
  passes: (value) => {
    const number = Number(value.slice(0, 6) + value.slice(-4, -1));
    const check = "0123456789ABCDEFHJKLMNPRSTUVWXY".charAt(number % 31);
    return isDate(value.slice(0, 2), value.slice(2, 4)) && check === value.slice(-1);
  },
};
const SPAIN: Scheme = {
  passes: (value) => {
    const number = Number(value.slice(0, 8).replace("X", "0").replace("Y", "1").replace("Z", "2"));
    return "TRWAGMYFPDXBNJZSQVHLCKE".charAt(number % 23) === value.charAt(8);
  },
};
const BRITAIN: Scheme = { passes: (value) => !/^(?:BG|GB|KN|NK|NT|TN|ZZ)/.test(value) };
const UNITED_STATES: Scheme = { passes: (value) => !/^(?:000|666|9)|^...00|0000$/.test(value) };
const UNITED_STATES_BARE: Scheme = { ...UNITED_STATES, behind: /\bssn\b|social.?security/i };
const SWITZERLAND: Scheme = {
  passes: (value) => {
    const sum = weigh(value, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3]);
    return (10 - (sum % 10)) % 10 === digitAt(value, 12);
  },
};
const BELGIUM: Scheme = {
  passes: (value) => {
    const check = Number(value.slice(9));
    const number = value.slice(0, 9);
    const isOne = 97 - remainder(number, 97) === check || 97 - remainder(`2${number}`, 97) === check;
    return isOne && isDate(value.slice(4, 6), String(Number(value.slice(2, 4)) % 20));
  },
};
const NORWAY: Scheme = {
  passes: (value) => {
    const first = weigh(value, [3, 7, 6, 1, 8, 9, 4, 5, 2, 1]) % 11;
    const second = weigh(value, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11;
    const day = String(Number(value.slice(0, 2)) % 40);
    return first === 0 && second === 0 && isDate(day, String(Number(value.slice(2, 4)) % 40));
  },
};
const SWEDEN: Scheme = {
  passes: (value) => isDate(String(Number(value.slice(4, 6)) % 60), value.slice(2, 4)) && passesLuhn(value),
};
const BRAZIL: Scheme = {
  passes: (value) => {
    const check = (count: number): boolean => {
      const weights = Array.from({ length: count }, (_, at) => count + 1 - at);
      return ((weigh(value, weights) * 10) % 11) % 10 === digitAt(value, count);
    };
    return check(9) && check(10);
  },
};
const KOREA: Scheme = {
  passes: (value) => {
    const sum = weigh(value, [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]);
    return isDate(value.slice(4, 6), value.slice(2, 4)) && (11 - (sum % 11)) % 10 === digitAt(value, 12);
  },
};
const BOHEMIA: Scheme = {
  passes: (value) =>
    isDate(value.slice(4, 6), String((Number(value.slice(2, 4)) % 50) % 20)) && remainder(value, 11) % 10 === 0,
};
const INDIA: Scheme = { passes: passesVerhoeff };
const HEALTH_SERVICE: Scheme = {
  passes: (value) => (11 - (weigh(value, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 11 === digitAt(value, 9),
  behind: /\bnhs\b|health.?service/i,
};
const DENMARK: Scheme = {
  passes: (value) => isDate(value.slice(0, 2), value.slice(2, 4)),
  behind: /\bcpr\b|personnummer/i,
};
const NETHERLANDS: Scheme = {
  passes: (value) => weigh(value, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0,
  behind: /\bbsn\b|burger.?service|sofi/i,
};
const CANADA: Scheme = { passes: passesLuhn, behind: /\bsin\b|social.?insurance|assurance.?sociale/i };
const AUSTRALIA: Scheme = {
  passes: (value) => weigh(value, [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0,
  behind: /\btfn\b|tax.?file/i,
};
const PORTUGAL: Scheme = {
  passes: (value) => {
    const check = 11 - (weigh(value, [9, 8, 7, 6, 5, 4, 3, 2]) % 11);
    return (check > 9 ? 0 : check) === digitAt(value, 8);
  },
  behind: /\bnif\b|contribuinte/i,
};
const AUSTRIA: Scheme = {
  passes: (value) => weigh(value, [3, 7, 9, 0, 5, 8, 4, 2, 1, 6]) % 11 === digitAt(value, 3),
  behind: /\bsvnr\b|\bsv.?nr|sozialversicherung/i,
};
const GERMANY: Scheme = {
  passes: (value) => !value.startsWith("0") && passesMod11Of10(value),
  behind: /steuer|\bidnr\b|\bsteuerid\b|\btin\b|tax.?id/i,
};
const POLAND: Scheme = {
  passes: (value) => {
    const sum = weigh(value, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]);
    return sum % 10 === 0 && isDate(value.slice(4, 6), String(Number(value.slice(2, 4)) % 20));
  },
  behind: /pesel/i,
};
const TURKEY: Scheme = {
  passes: (value) => {
    const [odd, even] = [weigh(value, [1, 0, 1, 0, 1, 0, 1, 0, 1]), weigh(value, [0, 1, 0, 1, 0, 1, 0, 1])];
    const sum = weigh(value, [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
    const tenth = (((odd * 7 - even) % 10) + 10) % 10;
    return tenth === digitAt(value, 9) && sum % 10 === digitAt(value, 10) && !value.startsWith("0");
  },
  behind: /\btckn\b|kimlik|\bt\.?c\.? ?no/i,
};
const SOUTH_AFRICA: Scheme = {
  passes: (value) => isDate(value.slice(4, 6), value.slice(2, 4)) && passesLuhn(value),
  behind: /\brsa.?id|south.?africa|\bsa.?id\b|id.?number/i,
};
const BRAZIL_BARE: Scheme = { ...BRAZIL, behind: /\bcpf\b/i };
const INDIA_BARE: Scheme = { ...INDIA, behind: /aadhaar|\buid\b/i };

const LETTERS_FIRST: readonly WrittenShape[] = [
  { as: "[A-Z]{6}\\d{2}[A-EHLMPRST]\\d{2}[A-Z]\\d{3}[A-Z]", schemes: [ITALY] },
  { as: "[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\\d{2} ?\\d{2} ?\\d{2} ?[A-D]", schemes: [BRITAIN] },
  { as: "[XYZ]-?\\d{7}-?[A-HJ-NP-TV-Z]", schemes: [SPAIN] },
];
const DIGITS_FIRST: readonly WrittenShape[] = [
  { as: "[12] ?\\d{2} ?\\d{2} ?(?:\\d{2}|2[AB]) ?\\d{3} ?\\d{3} ?\\d{2}", schemes: [FRANCE] },
  { as: "\\d{6}(?:19|20)\\d{9}[\\dX]", schemes: [CHINA] },
  { as: "\\d{6}[-+]\\d{4}", schemes: [SWEDEN, DENMARK, FINLAND] },
  { as: "\\d{6}[-+A-FU-Y]\\d{3}[\\dA-Y]", schemes: [FINLAND] },
  { as: "\\d{8}-?[A-HJ-NP-TV-Z]", schemes: [SPAIN] },
  { as: "\\d{3}-\\d{2}-\\d{4}", schemes: [UNITED_STATES] },
  { as: "756\\.?\\d{4}\\.?\\d{4}\\.?\\d{2}", schemes: [SWITZERLAND] },
  { as: "\\d{2}\\.\\d{2}\\.\\d{2}-\\d{3}\\.\\d{2}", schemes: [BELGIUM] },
  { as: "\\d{6} \\d{5}", schemes: [NORWAY] },
  { as: "\\d{3}\\.\\d{3}\\.\\d{3}-\\d{2}", schemes: [BRAZIL] },
  { as: "\\d{6}-[1-8]\\d{6}", schemes: [KOREA] },
  { as: "\\d{6}/\\d{4}", schemes: [BOHEMIA] },
  { as: "[2-9]\\d{3} \\d{4} \\d{4}", schemes: [INDIA] },
  { as: "\\d{3}[ -]\\d{3}[ -]\\d{4}", schemes: [HEALTH_SERVICE] },
  { as: "\\d{3}[ -]?\\d{3}[ -]?\\d{3}", schemes: [NETHERLANDS, CANADA, AUSTRALIA, PORTUGAL, UNITED_STATES_BARE] },
  { as: "\\d{4} \\d{6}", schemes: [AUSTRIA] },
  { as: "\\d{2} \\d{3} \\d{3} \\d{3}", schemes: [GERMANY] },
  { as: "\\d{10}", schemes: [HEALTH_SERVICE, DENMARK, AUSTRIA] },
  { as: "\\d{11}", schemes: [BELGIUM, NORWAY, GERMANY, POLAND, TURKEY, BRAZIL_BARE] },
  { as: "[2-9]\\d{11}", schemes: [INDIA_BARE] },
  { as: "\\d{13}", schemes: [SOUTH_AFRICA] },
];

/** Each begins with what tells most words and numbers apart from all of its shapes. */
const PASSES = [
  [toPattern("[A-Z]", LETTERS_FIRST), LETTERS_FIRST],
  [toPattern("\\d[\\d .+/-]{5}", DIGITS_FIRST), DIGITS_FIRST],
] as const;
/** As far in front of a number as the word for it may be. */
const NEAR = 40;

function toPattern(start: string, shapes: readonly WrittenShape[]): RegExp {
  const all = shapes.map(({ as }) => `(${as})`).join("|");
  return new RegExp(`(?<![\\w.+-])(?=${start})(?:${all})(?![\\w]|[.-]\\d)`, "g");
}

export function findNationalIds(text: string, about: string): readonly TextRange[] {
  const found: TextRange[] = [];
  // Apart, so that the engine knows with what character a match has to begin.
  for (const [pattern, shapes] of PASSES)
    for (const match of text.matchAll(pattern)) {
      const from = match.index;
      if (isOne(match, shapes, { text, from, about })) found.push({ from, to: from + match[0].length });
    }
  return found.sort((one, other) => one.from - other.from);
}

function isOne(
  [written = "", ...parts]: readonly (string | undefined)[],
  shapes: readonly WrittenShape[],
  { text, from, about }: { readonly text: string; readonly from: number; readonly about: string },
): boolean {
  const { schemes = [] } = shapes[parts.findIndex((part) => part !== undefined)] ?? {};
  const near = `${text.slice(Math.max(0, from - NEAR), from)} ${about === "" ? "" : spaced(about)}`;
  const isTold = schemes.some(({ behind }) => behind === undefined) || ANY_WORD.test(near);
  const value = isTold ? written.replace(/[^\dA-Z]/g, "") : "";
  if (value === "" || isOneDigit(value)) return false;
  return schemes.some(({ passes, behind }) => (behind === undefined || behind.test(near)) && passes(value));
}

/** Most numbers are behind none of these words, and then need no look at each. */
const ANY_WORD = new RegExp(
  DIGITS_FIRST.flatMap(({ schemes }) => schemes.flatMap(({ behind }) => behind?.source ?? [])).join("|"),
  "i",
);

/** `taxId` and `tax_id` as words. */
function spaced(name: string): string {
  return name.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/[_-]+/g, " ");
}

const ODD = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];

/** Italy's check letter: signs at odd places count by a table, those at even places by their order. */
function italianCheck(signs: string): string {
  let sum = 0;
  for (let at = 0; at < signs.length; at += 1) {
    const code = signs.charCodeAt(at);
    const value = code < 58 ? code - 48 : code - 65;
    sum += at % 2 === 0 ? (ODD[value] ?? 0) : value;
  }
  return String.fromCharCode(65 + (sum % 26));
}
