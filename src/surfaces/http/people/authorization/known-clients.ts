import type { AuthConfig } from "../../../../config/shape/people-shape.ts";
import { isClient } from "../../../../core/people/map-person.ts";
import type { RegisteredClients } from "../../../../runtime/people/registered-clients.ts";
import { type DescribedClient, isDocumentId } from "./client-document.ts";
import type { ClientDocuments } from "./client-documents.ts";

/** Clients that people may use, however they are known. */
export interface KnownClients {
  /** Why a client cannot be used, as far as that is known without asking anybody; null: nothing speaks against it. */
  refusal(id: string): Promise<string | null>;
  /** A text says why it cannot be used. May fetch its document, so nobody unknown may cause that. */
  find(id: string): Promise<DescribedClient | string>;
  /** Whether its document is the only word about it; otherwise it registered itself. */
  isDocument(id: string): boolean;
}

export interface KnownClientsOptions {
  readonly registered: RegisteredClients;
  readonly documents: ClientDocuments;
  readonly auth: () => Pick<AuthConfig, "clients">;
}

export function createKnownClients({ registered, documents, auth }: KnownClientsOptions): KnownClients {
  const refusal = async (id: string): Promise<string | null> => {
    const { clients } = auth();
    if (clients !== null && !clients.some((wanted) => isClient(id, wanted)))
      return "the clients that may be used here are listed in gateway.auth.clients, and it is none of them; ask an admin to add it";
    if (isDocumentId(id)) return null;
    if (id.startsWith("https:")) return "its client_id is no address of a document about it";
    return (await registered.find(id)) === null
      ? "it is not registered here, or its registration was forgotten because nobody used it; log in from the client again, so that it registers"
      : null;
  };
  return {
    refusal,
    async find(id) {
      const refused = await refusal(id);
      if (refused !== null) return refused;
      if (isDocumentId(id)) return documents.find(id);
      return (await registered.find(id)) ?? "its registration has just ended; log in from the client again";
    },
    isDocument: isDocumentId,
  };
}
