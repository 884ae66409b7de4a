import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import type { Sealer } from "./contract.ts";

/** A sealer that also says which key is which. */
export interface KeyedSealer extends Sealer {
  /** Ids of its keys; the first one seals. */
  readonly keys: readonly [string, ...string[]];
}

/** Marks the format, so that another one can follow. */
const VERSION = "s1";
const NONCE = 12;
const TAG = 16;
const CIPHER = "aes-256-gcm";

/**
 * AES-256-GCM with a random nonce. The id of the key is part of what is stored, so that several keys can be in use while
 * one replaces another.
 */
export function createSealer(keys: readonly [Buffer, ...Buffer[]]): KeyedSealer {
  const [first, ...others] = keys.map((key) => ({ id: keyId(key), key })) as [Known, ...Known[]];
  const known = new Map([first, ...others].map(({ id, key }) => [id, key]));
  return {
    keys: [first.id, ...others.map(({ id }) => id)],
    seal(secret, about) {
      const nonce = randomBytes(NONCE);
      const cipher = createCipheriv(CIPHER, first.key, nonce).setAAD(additional(first.id, about));
      const body = Buffer.concat([nonce, cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()]);
      return `${VERSION}.${first.id}.${body.toString("base64url")}`;
    },
    open(sealed, about) {
      const [version, id = "", body = ""] = sealed.split(".");
      const key = known.get(id);
      const bytes = Buffer.from(body, "base64url");
      if (version !== VERSION || key === undefined || bytes.length < NONCE + TAG) return null;
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE), { authTagLength: TAG });
      decipher.setAAD(additional(id, about)).setAuthTag(bytes.subarray(-TAG));
      try {
        return Buffer.concat([decipher.update(bytes.subarray(NONCE, -TAG)), decipher.final()]).toString("utf8");
      } catch {
        return null;
      }
    },
  };
}

/** The key that something was sealed with; null if it is not sealed. */
export function sealedWith(sealed: string): string | null {
  const [version, id = ""] = sealed.split(".");
  return version === VERSION && id !== "" ? id : null;
}

interface Known {
  readonly id: string;
  readonly key: Buffer;
}

/** Says nothing about the key. */
function keyId(key: Buffer): string {
  return createHash("sha256").update("toolcrib sealing key\0").update(key).digest("base64url").slice(0, 12);
}

/** Each part with its length before it, so that no two lists of parts are the same bytes. */
function additional(id: string, about: readonly string[]): Buffer {
  const parts = [VERSION, id, ...about].map((part) => Buffer.from(part, "utf8"));
  return Buffer.concat(
    parts.flatMap((part) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(part.length);
      return [length, part];
    }),
  );
}
