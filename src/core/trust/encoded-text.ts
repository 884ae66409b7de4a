import { undoDisguise } from "./disguised-text.ts";
import { findMorse, readColumns, readInitials } from "./letter-puzzles.ts";

/** Long enough to carry meaning, short enough to examine. */
const BASE64 = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,8000}={0,2}(?![A-Za-z0-9+/_=-])/g;
const HEX = /(?<![0-9a-fA-F])(?:[0-9a-fA-F]{2}){16,4000}(?![0-9a-fA-F])|(?:\\x[0-9a-fA-F]{2}){8,2000}/g;
const PERCENT = /(?:%[0-9a-fA-F]{2}|[A-Za-z]){0,40}(?:%20[A-Za-z']{1,30}){3,400}|(?:%[0-9a-fA-F]{2}){12,2000}/g;
const ESCAPED = /(?:\\u00[0-9a-fA-F]{2}|\\u\{[0-9a-fA-F]{2}\}){4,2000}/g;
const BINARY = /(?<![01])[01]{8}(?:[ ,]?[01]{8}){7,1000}(?![01])/g;
const DECIMAL =
  /(?<![\d.])(?:3[2-9]|[4-9]\d|1[01]\d|12[0-6])(?:[ ,]{1,2}(?:3[2-9]|[4-9]\d|1[01]\d|12[0-6])){11,1000}(?![\d.])/g;
const BASE32 = /(?<![A-Z2-7])[A-Z2-7]{32,4000}={0,6}(?![A-Z2-7=])/g;
const SPACED_HEX = /(?<![0-9a-fx])(?:0x)?[0-9a-f]{2}(?:[ ,:]{1,2}(?:0x)?[0-9a-f]{2}){11,1000}(?![0-9a-f])/gi;
/** Single encoded letters among plain ones. */
const ESCAPE = /\\x([0-9a-f]{2})|\\u00([0-9a-f]{2})|%([2-7][0-9a-f])/gi;
const LONG_RUN = /[A-Za-z0-9+/_-]{24}/;
const MAX_TRIES = 40;

/** A text inside another. */
export interface EncodedText {
  readonly text: string;
  /** No honest description has it; otherwise only its content counts. */
  readonly isOdd: boolean;
}

/** Sentences encoded in base64, hex, Morse, columns and the like; nothing that merely looks so. */
export function findEncodedText(text: string): readonly EncodedText[] {
  const found: EncodedText[] = [];
  let tries = 0;
  const add = (decoded: string, isOdd: boolean): void => {
    if (decoded !== text && isProse(decoded)) found.push({ text: decoded, isOdd });
  };
  const look = (pattern: RegExp, decode: (encoded: string) => string): void => {
    for (const [encoded] of text.matchAll(pattern)) {
      if (++tries > MAX_TRIES) return;
      add(decode(encoded), true);
    }
  };
  const long = LONG_RUN.test(text);
  if (long) look(BASE64, (encoded) => fromBase64(encoded.replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, "")));
  if (long) look(BASE32, fromBase32);
  if (long || text.includes("\\x")) look(HEX, (encoded) => fromHex(encoded.replaceAll("\\x", "")));
  if (text.includes("%"))
    look(PERCENT, (encoded) => encoded.replace(/%([0-9a-f]{2})/gi, (_whole, hex: string) => fromHex(hex)));
  if (text.includes("\\u")) look(ESCAPED, (encoded) => fromHex(encoded.replace(/\\u(?:00|\{)|\}/g, "")));
  if (text.includes("011")) look(BINARY, (encoded) => toText(encoded.match(/[01]{8}/g), 2));
  if (/\d[ ,]{1,2}\d{2,3}[ ,]{1,2}\d/.test(text)) look(DECIMAL, (encoded) => toText(encoded.match(/\d+/g), 10));
  if (/[0-9a-f]{2}[ ,:]{1,2}(?:0x)?[0-9a-f]{2}[ ,:]/i.test(text))
    look(SPACED_HEX, (encoded) => toText(encoded.match(/[0-9a-f]{2}(?![0-9a-fx])/gi), 16));
  if (/\\x|\\u00|%[2-7]/.test(text))
    add(
      text.replace(ESCAPE, (_whole, ...codes: string[]) => fromHex(codes.find((code) => code) ?? "")),
      false,
    );
  for (const decoded of findMorse(text)) add(decoded, true);
  for (const decoded of undoDisguise(text)) add(decoded, true);
  for (const decoded of readColumns(text)) add(decoded, true);
  for (const decoded of readInitials(text)) add(decoded, false);
  return found;
}

/** Five bits per letter. */
function fromBase32(encoded: string): string {
  let bits = "";
  for (const letter of encoded.replace(/=+$/, ""))
    bits += "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0");
  return toText(bits.match(/[01]{8}/g), 2);
}

function fromBase64(encoded: string): string {
  try {
    return atob(encoded.length % 4 === 1 ? encoded.slice(0, -1) : encoded);
  } catch {
    return "";
  }
}

function fromHex(encoded: string): string {
  return toText(encoded.match(/../g), 16);
}

function toText(codes: readonly string[] | null, base: number): string {
  return (codes ?? []).map((code) => String.fromCharCode(Number.parseInt(code, base))).join("");
}

/** Printable, with at least four words of letters. */
function isProse(text: string): boolean {
  return (
    /^[\t\n\r\u0020-\u007e]+$/.test(text) &&
    (text.match(/(?<![a-z])[a-z']{2,20}(?![a-z])/gi)?.length ?? 0) >= 4 &&
    text.includes(" ")
  );
}
