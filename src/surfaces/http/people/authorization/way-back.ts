import type { ServerResponse } from "node:http";
import type { RedirectAddress } from "../../../../core/people/redirect-address.ts";
import type { Authorizations, BrowserSession } from "../../../../runtime/people/contract.ts";
import type { RegisteredClients } from "../../../../runtime/people/registered-clients.ts";
import { sendElsewhere } from "../pages/page.ts";
import type { DescribedClient } from "./client-document.ts";
import type { KnownClients } from "./known-clients.ts";

/** What a person was asked, as stored until they answer. */
export interface AskedConsent {
  readonly client: DescribedClient;
  readonly redirect: RedirectAddress;
  readonly scopes: readonly string[];
  readonly challenge: string;
  readonly state: string | null;
}

export interface WayBackOptions {
  readonly publicUrl: string;
  readonly authorizations: Pick<Authorizations, "allow">;
  readonly clients: KnownClients;
  readonly registered: Pick<RegisteredClients, "touch">;
}

/** Sends browsers back to clients. Every answer names us as its issuer, so that no client takes it for another's. */
export function createWayBack({ publicUrl, authorizations, clients, registered }: WayBackOptions) {
  const sendBack = (
    response: ServerResponse,
    { redirect, state }: Pick<AskedConsent, "redirect" | "state">,
    answer: { readonly code: string } | { readonly error: string; readonly error_description: string },
  ): void => {
    const { text } = redirect;
    const fields = new URLSearchParams({ ...answer, ...(state === null ? {} : { state }), iss: publicUrl });
    sendElsewhere(response, `${text}${text.includes("?") ? "&" : "?"}${fields}`);
  };
  return {
    sendBack,
    async sendCode(response: ServerResponse, asked: AskedConsent, { id, caller }: BrowserSession): Promise<void> {
      const { client, redirect, scopes, challenge } = asked;
      const { issuer, subject } = caller;
      const code = await authorizations.allow({
        ...{ caller: { issuer, subject, client: client.id }, clientName: client.name, redirect: redirect.text },
        ...{ scopes, challenge, browser: id },
      });
      if (!clients.isDocument(client.id)) await registered.touch(client.id);
      sendBack(response, asked, { code });
    },
  };
}
