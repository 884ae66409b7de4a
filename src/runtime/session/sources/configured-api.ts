import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Config, ServerConfig } from "../../../config/config.ts";
import { formatOrigin } from "../../../core/codes/origin.ts";
import type { Reason } from "../../../core/codes/reason.ts";
import { personKey } from "../../../core/people/person.ts";
import type { OpenApiSourceOptions } from "../../../sources/openapi/openapi-source.ts";
import { openStoredList } from "../../../sources/parts/stored-list.ts";
import type { Source } from "../../../sources/source.ts";
import type { UpstreamIdentity } from "../../credentials/contract.ts";

/** A server that is reached by an OpenAPI document. */
export type ApiConfig = ServerConfig & { readonly transport: { readonly type: "openapi" } };

export function isApi(server: ServerConfig): server is ApiConfig {
  return server.transport.type === "openapi";
}

interface ApiSurroundings {
  readonly judge: (url: string) => readonly Reason[];
  readonly lists: string | null;
  readonly identity: UpstreamIdentity;
}

/** An API that may be listed: the document is read, and the code for it loaded, once somebody wants its tools. */
export function wantedApi(
  server: ApiConfig,
  { trust: { workspace } }: Pick<Config, "trust">,
  { judge, lists, identity }: ApiSurroundings,
) {
  const { name } = server;
  const api = toSpec(server);
  const keep = (folder: string) => (key: string) =>
    openStoredList(join(folder, `${toFileName(server.launch, key)}.json`));
  return {
    key: JSON.stringify(["openapi", name, api, ...(identity.key === "" ? [] : [identity.key])]),
    sharable: true,
    server: name,
    identity,
    ...(identity.person === null ? {} : { person: personKey(identity.person) }),
    async open(): Promise<Source> {
      const { createOpenApiSource } = await import("../../../sources/openapi/openapi-source.ts");
      const whyRefused = (url: string): string | null => judge(url)[0]?.text ?? null;
      // Its document is the same for everybody: nobody's own proof is sent to get it.
      const kept = lists === null ? {} : { keep: keep(lists) };
      const tokens = identity.proof.kind === "tokens" ? { tokens: identity.proof.open() } : {};
      return createOpenApiSource({ name, api, workspace, whyRefused, ...kept, ...tokens });
    },
  };
}

function toFileName(launch: string, key: string): string {
  return createHash("sha256").update(launch).update(key).digest("hex").slice(0, 40);
}

function toSpec({
  transport,
  timeout,
  startTimeout,
  defer,
  group,
  enabled,
  disabledBy,
}: ApiConfig): OpenApiSourceOptions["api"] {
  const { spec, url, headers, auth, tokenUrl, include, exclude, refs } = transport;
  return {
    ...{ spec, tokenUrl, refs },
    include: include?.value.map(({ value }) => value) ?? null,
    exclude: exclude.value.map(({ value }) => value),
    baseUrl: url === "" ? null : url,
    headers: Object.fromEntries(headers),
    auth: Object.fromEntries(auth),
    ...(timeout === null ? {} : { timeout: timeout.value }),
    ...(startTimeout === null ? {} : { startTimeout: startTimeout.value }),
    defer: defer.value,
    group: group?.value ?? null,
    enabled: enabled.value,
    ...(disabledBy === null ? {} : { disabledBy: formatOrigin(disabledBy) }),
  };
}
