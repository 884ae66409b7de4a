import { isRecord } from "../../core/shape/is-record.ts";
import { childOf, DocumentFault, itemsOf, type Located, membersOf, textAt } from "./api-file.ts";
import { type ApiSpec, isAddress } from "./api-spec.ts";
import type { ApiFiles } from "./references.ts";

/** The address of an API. */
export interface Base {
  readonly url: URL;
  /** A person wrote the address, or that of the document next to it; otherwise it must be a public one. */
  readonly isTrusted: boolean;
  /** The address if the document chose it, to show to people; null if the entry did. */
  readonly chosen: string | null;
}

/** The address in the entry, else the one in the document. */
export function findBase(files: ApiFiles, { baseUrl, spec, headers, auth }: ApiSpec): Base {
  const root: Located = { file: files.root, pointer: "", value: files.root.root };
  if (baseUrl !== null) return { url: new URL(baseUrl), isTrusted: true, chosen: null };
  const url = readServer(childOf(root, "servers"), isAddress(spec) ? spec : null);
  if (url === null)
    throw new DocumentFault(childOf(root, "servers"), "does not say where the API is", "Set `baseUrl` in its entry.");
  const isTrusted = isAddress(spec) && new URL(spec).origin === url.origin;
  if (!isTrusted && (Object.keys(headers).length > 0 || Object.keys(auth).length > 0))
    throw new DocumentFault(
      childOf(root, "servers"),
      `wants calls to go to ${url.origin}, and \`headers\` and \`auth\` are sent only where the entry says`,
      `Set \`baseUrl: ${url.href}\` in its entry, if that is where they belong.`,
    );
  return { url, isTrusted, chosen: url.href };
}

/** Whether an operation that names a server of its own can be called at the API's address. */
export function isAtBase({ servers }: { readonly servers: Located | null }, base: URL): boolean {
  if (servers === null) return true;
  const url = readServer(servers, base.href);
  return url !== null && url.origin === base.origin && url.pathname === base.pathname;
}

/** The first server, with its variables filled in; null if there is none that can be called. */
function readServer(servers: Located, base: string | null): URL | null {
  const [first] = itemsOf(servers);
  const written = first === undefined ? (base === null ? null : "/") : textAt(first, "url");
  if (written === null) return null;
  const values = new Map(
    (first === undefined ? [] : membersOf(childOf(first, "variables"))).map(([name, { value }]) => [
      name,
      isRecord(value) ? String(value.default ?? "") : "",
    ]),
  );
  const filled = written.replace(/\{([^{}]+)\}/g, (whole, name: string) => values.get(name) ?? whole);
  if (!URL.canParse(filled, base ?? undefined)) return null;
  const url = new URL(filled, base ?? undefined);
  return /^https?:$/.test(url.protocol) && url.username === "" && url.password === "" ? url : null;
}
