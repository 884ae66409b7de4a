import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { parse } from "yaml";

/** Documents of tests are walked freely. */
// biome-ignore lint/suspicious/noExplicitAny: their values are of every kind.
type Plain = Readonly<Record<string, any>>;

/** What the server saw of one request. */
interface SeenRequest {
  /** `GET /pets/{petId}`, as the document has it; null where it has no such operation. */
  readonly operation: string | null;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** Required parameters that were not there. */
  readonly missing: readonly string[];
}

export interface ApiServer {
  readonly url: string;
  readonly requests: readonly SeenRequest[];
}

export type Respond = (
  seen: SeenRequest,
) => { status?: number; headers?: Record<string, string>; body?: string | Buffer } | null;

/**
 * A server made of a document: it knows its operations and their required parameters, and answers with what it saw.
 * It reads documents in its own simple way, so that it does not share mistakes with what is tested.
 */
export async function serveDocument(file: string, respond: Respond = () => null): Promise<ApiServer> {
  const routes = routesOf(file);
  const requests: SeenRequest[] = [];
  const server = createServer(async (request, response) => {
    const seen = await look(request, routes);
    requests.push(seen);
    const said = respond(seen);
    const status = said?.status ?? (seen.operation === null ? 404 : seen.missing.length > 0 ? 400 : 200);
    response.writeHead(status, { "content-type": "application/json", ...said?.headers });
    response.end(said?.body ?? JSON.stringify({ operation: seen.operation, url: seen.url, missing: seen.missing }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo; // It listens on a port.
  return { url: `http://127.0.0.1:${port}`, requests };
}

interface Route {
  readonly operation: string;
  readonly method: string;
  readonly path: RegExp;
  readonly required: readonly { readonly in: string; readonly name: string }[];
}

function routesOf(file: string): readonly Route[] {
  const load = (path: string): Plain => parse(readFileSync(path, "utf8"));
  const resolve = (value: Plain, from: string): readonly [Plain, string] => {
    if (typeof value?.$ref !== "string") return [value, from];
    const [path = "", pointer = ""] = value.$ref.split("#");
    const target = path === "" ? from : join(dirname(from), path);
    const found = pointer
      .split("/")
      .slice(1)
      .reduce<Plain>((at, key) => at?.[key.replaceAll("~1", "/")], load(target));
    return resolve(found ?? {}, target);
  };
  return Object.entries(load(file).paths as Plain).flatMap(([path, written]) => {
    const [item, from] = resolve(written, file);
    return ["get", "put", "post", "delete", "head", "patch"].flatMap((method): Route[] => {
      const operation = item[method];
      if (operation === undefined) return [];
      const parameters: Plain[] = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(
        (parameter: Plain) => resolve(parameter, from)[0],
      );
      const required = parameters
        .filter((parameter) => parameter?.required === true && parameter.in !== "path")
        .map((parameter) => ({ in: String(parameter.in), name: String(parameter.name) }));
      return [{ operation: `${method.toUpperCase()} ${path}`, method, path: toPattern(path), required }];
    });
  });
}

function toPattern(path: string): RegExp {
  const parts = path.split(/\{[^}]+\}/).map((part) => part.replace(/[.*+?^$()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^/]+")}$`);
}

async function look(request: IncomingMessage, routes: readonly Route[]): Promise<SeenRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { pathname, searchParams } = new URL(request.url ?? "", "http://x");
  const route = routes.find(({ method, path }) => method === request.method?.toLowerCase() && path.test(pathname));
  const isThere = ({ in: place, name }: Route["required"][number]): boolean =>
    place === "query" ? searchParams.has(name) : request.headers[name.toLowerCase()] !== undefined;
  return {
    operation: route?.operation ?? null,
    url: request.url ?? "",
    headers: request.headers,
    body: Buffer.concat(chunks).toString("utf8"),
    missing: (route?.required ?? []).filter((one) => !isThere(one)).map(({ name }) => name),
  };
}
