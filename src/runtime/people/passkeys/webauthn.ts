import { createHash, createPublicKey, type KeyObject, timingSafeEqual, verify } from "node:crypto";
import { isRecord } from "../../../core/shape/is-record.ts";
import { parseJson } from "../../../core/shape/parse-json.ts";

/** What an answer of an authenticator has to be about. */
export interface ExpectedAnswer {
  /** In base64url, as the page got it. */
  readonly challenge: string;
  /** The origin of the gateway; its host is what passkeys belong to. */
  readonly origin: string;
}

/** As the page sends it, in base64url. */
export interface NewPasskey {
  readonly id: string;
  readonly clientData: string;
  readonly authenticatorData: string;
  /** The public key as SubjectPublicKeyInfo. */
  readonly publicKey: string;
}

export interface PasskeyAnswer {
  readonly id: string;
  readonly clientData: string;
  readonly authenticatorData: string;
  readonly signature: string;
}

export interface KnownPasskey {
  readonly publicKey: string;
  readonly counter: number;
}

/** Flags of authenticator data. */
const PRESENT = 0x01;
const VERIFIED = 0x04;
const ATTESTED = 0x40;
/** Bytes before the credential: hash of the host, flags, counter. */
const HEAD = 37;
/** Id of the authenticator's model. */
const MODEL = 16;
const MOST_ID = 1_023;

/**
 * Checks a new passkey, and returns it as it is stored; else says why not. No statement about the authenticator is asked
 * for, so that its data say all there is; the browser has checked its side of them.
 */
export function checkNewPasskey(
  given: NewPasskey,
  expected: ExpectedAnswer,
): KnownPasskey | { readonly wrong: string } {
  const data = toBytes(given.authenticatorData);
  const wrong = checkClientData(given.clientData, "webauthn.create", expected) ?? checkData(data, expected);
  if (wrong !== null) return { wrong };
  const size = data.length >= HEAD + MODEL + 2 ? data.readUInt16BE(HEAD + MODEL) : 0;
  const id = data.subarray(HEAD + MODEL + 2, HEAD + MODEL + 2 + size);
  const isWhole = (data.readUInt8(32) & ATTESTED) !== 0 && size > 0 && size <= MOST_ID && id.length === size;
  if (!isWhole || id.toString("base64url") !== given.id) return { wrong: "it is not about the passkey that it names" };
  if (toKey(given.publicKey) === null) return { wrong: "its key is of a kind that is not taken" };
  return { publicKey: given.publicKey, counter: data.readUInt32BE(33) };
}

/** Checks that the owner of a passkey has answered, and returns its counter; else says why not. */
export function checkPasskeyAnswer(
  given: PasskeyAnswer,
  known: KnownPasskey,
  expected: ExpectedAnswer,
): { readonly counter: number } | { readonly wrong: string } {
  const data = toBytes(given.authenticatorData);
  const wrong = checkClientData(given.clientData, "webauthn.get", expected) ?? checkData(data, expected);
  if (wrong !== null) return { wrong };
  const key = toKey(known.publicKey);
  if (key === null) return { wrong: "its key is of a kind that is not taken" };
  const signed = Buffer.concat([data, sha256(toBytes(given.clientData))]);
  const algorithm = key.asymmetricKeyType === "ed25519" ? null : "sha256";
  if (!verify(algorithm, signed, key, toBytes(given.signature))) return { wrong: "its signature is not right" };
  const counter = data.readUInt32BE(33);
  // Passkeys that are copied between devices do not count.
  if ((counter !== 0 || known.counter !== 0) && counter <= known.counter)
    return { wrong: "its counter went back, as that of a copy does" };
  return { counter };
}

function checkClientData(text: string, type: string, { challenge, origin }: ExpectedAnswer): string | null {
  const said = parseJson(toBytes(text).toString("utf8"));
  if (!isRecord(said) || said.type !== type) return "it is the answer to something else";
  if (typeof said.challenge !== "string" || !isSame(said.challenge, challenge)) return "it answers another challenge";
  if (said.origin !== origin) return "it was given on another page";
  return said.crossOrigin === true || said.topOrigin !== undefined ? "it was given inside another page" : null;
}

function checkData(data: Buffer, { origin }: ExpectedAnswer): string | null {
  if (data.length < HEAD) return "it is cut short";
  if (!data.subarray(0, 32).equals(sha256(new URL(origin).hostname))) return "it belongs to another host";
  const flags = data.readUInt8(32);
  if ((flags & PRESENT) === 0 || (flags & VERIFIED) === 0) return "nobody has shown who they are to the authenticator";
  return null;
}

/** The kinds that authenticators have: ES256, RS256 and Ed25519. */
function toKey(text: string): KeyObject | null {
  try {
    const key = createPublicKey({ key: toBytes(text), format: "der", type: "spki" });
    const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
    if (type === "ec") return details?.namedCurve === "prime256v1" ? key : null;
    if (type === "rsa") return (details?.modulusLength ?? 0) >= 2_048 ? key : null;
    return type === "ed25519" ? key : null;
  } catch {
    return null;
  }
}

function toBytes(text: string): Buffer {
  return Buffer.from(text, "base64url");
}

function sha256(value: Buffer | string): Buffer {
  return createHash("sha256").update(value).digest();
}

function isSame(one: string, other: string): boolean {
  return timingSafeEqual(sha256(one), sha256(other));
}
