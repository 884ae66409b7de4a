import { type ConfigNode, nodeAt } from "../../core/shape/node.ts";
import { entriesAt, itemsAt, readNumber, readText } from "../../core/shape/read-node.ts";
import type { Variables } from "./refer-secrets.ts";

interface ImportedLogin {
  /** The key it was found under. */
  readonly key: string;
  readonly oauth: Readonly<Record<string, unknown>>;
  /** What could not be imported; null if all of it was. */
  readonly leftOut: string | null;
}

/** How to log in at a server, as Claude (`oauth`) and Cursor (`auth`) write it; null if no client is named. */
export function importLogin(
  server: ConfigNode,
  owner: string,
  convert: (text: string) => string,
  variables: Variables,
): ImportedLogin | null {
  const key = nodeAt(server, "oauth") === undefined ? "auth" : "oauth";
  const login = nodeAt(server, key);
  const text = (...names: readonly string[]) =>
    names.map((name) => readText(nodeAt(login, name))?.value).find((value) => value !== undefined);
  const clientId = text("clientId", "CLIENT_ID");
  if (clientId === undefined) return null;
  const secret = text("clientSecret", "CLIENT_SECRET");
  const scopes = itemsAt(login, "scopes").flatMap((scope) => readText(scope)?.value ?? []);
  const scope = text("scope", "scopes") ?? (scopes.length === 0 ? undefined : scopes.join(" "));
  const callbackPort = readNumber(nodeAt(login, "callbackPort"))?.value;
  const oauth = {
    clientId: convert(clientId),
    ...(secret === undefined ? {} : { clientSecret: toReference(convert(secret)) }),
    ...(scope === undefined ? {} : { scope }),
    ...(callbackPort === undefined ? {} : { callbackPort }),
  };
  const unknown = entriesAt(login).flatMap(([name]) => (KNOWN.has(name) ? [] : [name]));
  return { key, oauth, leftOut: unknown.length === 0 ? null : `${unknown.join(", ")} in it has no place here` };

  function toReference(value: string): string {
    return /^\$\{\w+\}$/.test(value) ? value : variables.refer(`${owner}_client_secret`, owner, value);
  }
}

const KNOWN = new Set("clientId CLIENT_ID clientSecret CLIENT_SECRET scope scopes callbackPort".split(" "));
