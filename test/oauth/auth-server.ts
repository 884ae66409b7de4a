import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { onTestFinished } from "vitest";

/** One request, as it came. */
interface Seen {
  readonly path: string;
  readonly params: URLSearchParams;
  readonly body: string;
  readonly authorization: string | null;
}

/** An authorization server on this machine: discovery, registration, codes with PKCE, tokens, refresh with rotation. */
export interface AuthServer {
  readonly origin: string;
  readonly issuer: string;
  readonly seen: readonly Seen[];
  /** Access tokens that count now, and what each is for. */
  readonly valid: Map<string, string>;
  /** Who is logged in there, in whatever browser comes. */
  user: string;
  /** Whose an access token is. */
  readonly owners: Map<string, string>;
  /** Every secret it ever gave out. */
  readonly given: readonly string[];
  /** What its metadata says differently than it should. */
  metadata: Record<string, unknown>;
  /** `iss` of its answers; undefined leaves it out. */
  iss: string | undefined;
  lifetime: number | null;
  refuses: "nothing" | "refresh" | "login" | "revocation";
  isDown: boolean;
  /** Requests for tokens wait for this before they are looked at. */
  hold: Promise<void>;
  /** Its answers to requests for tokens get lost, after it has given out what was asked for. */
  losesTokens: boolean;
  /** Requests of that path. */
  asked(path: string): readonly Seen[];
}

interface Grant {
  readonly user: string;
  readonly client: string;
  readonly redirect: string;
  readonly challenge: string;
  readonly resource: string;
}

export async function startAuthServer(): Promise<AuthServer> {
  const seen: Seen[] = [];
  const given: string[] = [];
  const clients = new Map<string, readonly string[]>([["known-client", []]]);
  const codes = new Map<string, Grant>();
  const refreshes = new Map<string, Pick<Grant, "user" | "resource">>();
  const valid = new Map<string, string>();
  const owners = new Map<string, string>();
  const secret = (kind: string): string => {
    const text = `${kind}-${randomUUID()}`;
    given.push(text);
    return text;
  };
  const issue = ({ user, resource }: Pick<Grant, "user" | "resource">) => {
    const [access, refresh] = [secret("access"), secret("refresh")];
    valid.set(access, resource);
    owners.set(access, user);
    refreshes.set(refresh, { user, resource });
    const lifetime = server.lifetime === null ? {} : { expires_in: server.lifetime };
    return { access_token: access, refresh_token: refresh, token_type: "Bearer", ...lifetime };
  };

  const describe = () => ({
    issuer: server.issuer,
    authorization_endpoint: `${server.origin}/authorize`,
    token_endpoint: `${server.origin}/token`,
    registration_endpoint: `${server.origin}/register`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    ...server.metadata,
  });
  const register = (body: string, response: ServerResponse) => {
    const document: { redirect_uris: string[] } = JSON.parse(body);
    const client = `client-${randomUUID()}`;
    clients.set(client, document.redirect_uris);
    json(response, 201, { ...document, client_id: client });
  };
  const authorize = (params: URLSearchParams, response: ServerResponse) => {
    const read = (name: string) => params.get(name) ?? "";
    const redirect = read("redirect_uri");
    const allowed = clients.get(read("client_id"));
    const isKnown = allowed !== undefined && (allowed.length === 0 || allowed.includes(redirect));
    const isSafe = read("code_challenge_method") === "S256" && read("response_type") === "code";
    if (!isKnown || !isSafe) return json(response, 400, { error: "invalid_request" });
    const back = new URL(redirect);
    if (server.refuses === "login") back.searchParams.set("error", "access_denied");
    else {
      const code = secret("code");
      const [client, challenge, resource] = [read("client_id"), read("code_challenge"), read("resource")];
      codes.set(code, { user: server.user, client, redirect, challenge, resource });
      back.searchParams.set("code", code);
    }
    back.searchParams.set("state", read("state"));
    if (server.iss !== undefined) back.searchParams.set("iss", server.iss);
    response.writeHead(302, { location: back.href }).end();
  };
  const token = (form: URLSearchParams, { headers }: IncomingMessage, response: ServerResponse) => {
    if (form.get("grant_type") === "refresh_token") {
      const kept = refreshes.get(form.get("refresh_token") ?? "");
      // Each works once, as OAuth 2.1 wants it for public clients.
      refreshes.delete(form.get("refresh_token") ?? "");
      const isGood =
        kept !== undefined && (form.get("resource") ?? "") === kept.resource && server.refuses !== "refresh";
      return isGood ? json(response, 200, issue(kept)) : json(response, 400, { error: "invalid_grant" });
    }
    const grant = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isGood =
      grant !== undefined &&
      grant.challenge === challenge &&
      grant.client === (form.get("client_id") ?? clientOf(headers.authorization)) &&
      grant.redirect === form.get("redirect_uri") &&
      grant.resource === (form.get("resource") ?? "");
    // What is refused is repeated, as careless servers do.
    if (!isGood) return json(response, 400, { error: "invalid_grant", error_description: form.toString() });
    return json(response, 200, issue(grant));
  };

  /** RFC 7009: whatever it does not know is revoked already. */
  const revoke = (form: URLSearchParams, { headers }: IncomingMessage, response: ServerResponse) => {
    if (!form.has("client_id") && headers.authorization === undefined)
      return json(response, 401, { error: "invalid_client" });
    if (server.refuses === "revocation") return json(response, 503, { error: form.get("token") });
    valid.delete(form.get("token") ?? "");
    refreshes.delete(form.get("token") ?? "");
    response.writeHead(200).end();
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname: path, searchParams: params } = new URL(request.url ?? "/", server.origin);
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const body = Buffer.concat(parts).toString("utf8");
    seen.push({ path, params, body, authorization: request.headers.authorization ?? null });
    if (server.isDown) json(response, 503, { error: "temporarily_unavailable" });
    else if (path === "/.well-known/oauth-authorization-server") json(response, 200, describe());
    else if (path === "/register") register(body, response);
    else if (path === "/authorize") authorize(params, response);
    else if (path === "/token") {
      await server.hold;
      const lost = { writeHead: () => ({ end() {} }) } as unknown as ServerResponse; // All that is used of it.
      token(new URLSearchParams(body), request, server.losesTokens ? lost : response);
    } else if (path === "/revoke") revoke(new URLSearchParams(body), request, response);
    else json(response, 404, {});
  };
  const http = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  );
  const address = http.address();
  const origin = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  const server: AuthServer = {
    origin,
    issuer: origin,
    seen,
    valid,
    owners,
    user: "somebody",
    given,
    metadata: {},
    iss: origin,
    lifetime: 3600,
    refuses: "nothing",
    isDown: false,
    hold: Promise.resolve(),
    losesTokens: false,
    asked: (path) => seen.filter((each) => each.path === path),
  };
  return server;
}

/** Who a header with a client's name and secret is about. */
function clientOf(authorization: string | undefined): string | null {
  const pair = /^Basic (.+)$/.exec(authorization ?? "")?.[1];
  return pair === undefined ? null : (Buffer.from(pair, "base64").toString("utf8").split(":")[0] ?? null);
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}
