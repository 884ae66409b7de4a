import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { isToolcribError } from "../../../../core/codes/toolcrib-error.ts";
import { HttpRefusal, sendJson } from "../../api/answers.ts";

/** Words of RFC 6749, 7009, 7591 and 8707 that clients act on. */
export type OAuthErrorCode =
  | "access_denied"
  | "consent_required"
  | "invalid_client"
  | "invalid_client_metadata"
  | "invalid_grant"
  | "invalid_redirect_uri"
  | "invalid_request"
  | "invalid_target"
  | "login_required"
  | "request_not_supported"
  | "request_uri_not_supported"
  | "server_error"
  | "temporarily_unavailable"
  | "unauthorized_client"
  | "unsupported_grant_type"
  | "unsupported_response_type";

/** Why a client or a person gets nothing. The text is for people and holds nothing secret. */
export class OAuthFailure extends Error {
  readonly code: OAuthErrorCode;
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;

  constructor(code: OAuthErrorCode, text: string, status = 400, headers: OutgoingHttpHeaders = {}) {
    super(text);
    this.code = code;
    this.status = status;
    this.headers = headers;
  }
}

/** Any error as one that an OAuth client understands; null for a bug of ours. */
export function toOAuthFailure(error: unknown): OAuthFailure | null {
  if (error instanceof OAuthFailure) return error;
  if (error instanceof HttpRefusal)
    return new OAuthFailure("invalid_request", error.message, error.status, error.headers);
  if (isToolcribError(error) && error.code === "store.unavailable")
    return new OAuthFailure("temporarily_unavailable", "the gateway cannot reach its store; try again", 503);
  return null;
}

export const OURS = new OAuthFailure("server_error", "something went wrong inside the gateway", 500);

export function sendFailure(response: ServerResponse, failure: OAuthFailure, headers: OutgoingHttpHeaders): void {
  if (response.headersSent) return void response.destroy();
  const { code, status, message } = failure;
  // The characters that RFC 6749 allows.
  const description = message.replace(/[^\x20-\x7e]|["\\]/g, "'");
  sendJson(response, status, { error: code, error_description: description }, { ...headers, ...failure.headers });
}
