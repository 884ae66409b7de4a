import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

/** What of an answer a test wants to be wrong. */
export interface PasskeyFaults {
  readonly origin?: string;
  readonly host?: string;
  readonly challenge?: string;
  readonly type?: string;
  readonly flags?: number;
  readonly crossOrigin?: boolean;
}

/** An authenticator in software, with one passkey. */
export interface SoftwarePasskey {
  readonly id: string;
  create(
    question: Question,
    faults?: PasskeyFaults,
  ): Record<"id" | "clientData" | "authenticatorData" | "publicKey", string>;
  answer(
    question: Question & { readonly owner: string },
    faults?: PasskeyFaults,
  ): Record<"id" | "owner" | "clientData" | "authenticatorData" | "signature", string>;
  /** What its counter says; 0, as passkeys of most makers say, unless it is set. */
  counter: number;
}

interface Question {
  readonly origin: string;
  readonly challenge: string;
}

const KINDS = {
  ES256: () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
  RS256: () => generateKeyPairSync("rsa", { modulusLength: 2048 }),
  EdDSA: () => generateKeyPairSync("ed25519"),
} as const;

/** Present and verified; with the first answer, also the passkey itself. */
const FLAGS = 0x05;
const ATTESTED = 0x40;

export function createSoftwarePasskey(kind: keyof typeof KINDS = "ES256"): SoftwarePasskey {
  const { privateKey, publicKey }: { privateKey: KeyObject; publicKey: KeyObject } = KINDS[kind]();
  const id = randomBytes(16);
  const clientDataOf = (type: string, { origin, challenge }: Question, faults: PasskeyFaults): Buffer =>
    Buffer.from(
      JSON.stringify({
        type: faults.type ?? type,
        challenge: faults.challenge ?? challenge,
        origin: faults.origin ?? origin,
        crossOrigin: faults.crossOrigin ?? false,
      }),
    );
  const dataOf = ({ origin }: Question, flags: number, { host }: PasskeyFaults, rest: Buffer): Buffer => {
    const head = Buffer.alloc(5);
    head.writeUInt8(flags);
    head.writeUInt32BE(passkey.counter, 1);
    const own = createHash("sha256")
      .update(host ?? new URL(origin).hostname)
      .digest();
    return Buffer.concat([own, head, rest]);
  };
  const passkey: SoftwarePasskey = {
    id: id.toString("base64url"),
    counter: 0,
    create(question, faults = {}) {
      const size = Buffer.alloc(2);
      size.writeUInt16BE(id.length);
      // The key follows in CBOR, which nobody reads: it comes beside this as well.
      const rest = Buffer.concat([Buffer.alloc(16), size, id, Buffer.from("a0", "hex")]);
      return {
        id: this.id,
        clientData: clientDataOf("webauthn.create", question, faults).toString("base64url"),
        authenticatorData: dataOf(question, (faults.flags ?? FLAGS) | ATTESTED, faults, rest).toString("base64url"),
        publicKey: publicKey.export({ format: "der", type: "spki" }).toString("base64url"),
      };
    },
    answer({ owner, ...question }, faults = {}) {
      const clientData = clientDataOf("webauthn.get", question, faults);
      const data = dataOf(question, faults.flags ?? FLAGS, faults, Buffer.alloc(0));
      const signed = Buffer.concat([data, createHash("sha256").update(clientData).digest()]);
      return {
        ...{ id: this.id, owner, clientData: clientData.toString("base64url") },
        authenticatorData: data.toString("base64url"),
        signature: sign(kind === "EdDSA" ? null : "sha256", signed, privateKey).toString("base64url"),
      };
    },
  };
  return passkey;
}
