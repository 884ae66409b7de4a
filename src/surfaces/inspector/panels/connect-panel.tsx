import { useState } from "preact/hooks";
import type { Choices, ClientView, Overview } from "../../http/api/api.ts";
import { useConnection } from "../live/connection.ts";
import type { Resource } from "../live/use-resource.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { formatCount, formatJson, formatNumber, formatTime, wordsOfEra } from "../parts/format.ts";
import { ShownCode, ShownText } from "../parts/shown-text.tsx";
import { Empty, ResourceNote } from "../parts/status.tsx";
import { Table, type TableColumn } from "../parts/table.tsx";

interface ConnectProps {
  readonly overview: Resource<Overview>;
  readonly choices: Choices | null;
}

const MASK = "••••••••";

/** Who is connected, and how to connect one more. */
export function ConnectPanel({ overview, choices }: ConnectProps) {
  const { token } = useConnection();
  const { value } = overview;
  if (value === null || value.endpoint === null) return <ResourceNote resource={overview} what="the endpoint" />;
  return (
    <div class="page-panel pile">
      <section class="card pile sheet" aria-labelledby="clients-heading">
        <h2 id="clients-heading">{formatNumber(value.clients.length, "client")} connected</h2>
        {value.clients.length === 0 ? <Empty>Nobody yet.</Empty> : <Clients clients={value.clients} />}
      </section>
      {value.connect !== null && (
        <section class="card pile sheet" aria-labelledby="add-heading">
          <h2 id="add-heading">Put it in front of a client</h2>
          <p>
            The client starts <code>toolcrib connect</code>, which needs no token and no port: it finds this Toolcrib,
            or starts it. <code>toolcrib up --write claude,vscode,cursor</code> writes these lines for you.
          </p>
          {value.connect.map(({ client, where, text }) => (
            <Lines key={client} client={client} where={where} copied={text} shown={text} />
          ))}
        </section>
      )}
      {token !== null && (
        <OverHttp token={token} endpoint={value.endpoint} choices={choices} isOpen={value.connect === null} />
      )}
    </div>
  );
}

interface OverHttpProps {
  readonly token: string;
  readonly endpoint: string;
  readonly choices: Choices | null;
  readonly isOpen: boolean;
}

/** Lines for clients that send the gateway's own token, which a person who has logged in does not know. */
function OverHttp({ token, endpoint, choices, isOpen }: OverHttpProps) {
  const [isShown, setShown] = useState(false);
  const [agent, setAgent] = useState("");
  const url = agent === "" ? endpoint : `${endpoint}?${new URLSearchParams({ agent })}`;
  return (
    <details class="card pile sheet" open={isOpen}>
      <summary>Over HTTP, with a token</summary>
      <div class="connect-options row wraps">
        <label class="field">
          <span>As agent</span>
          <select value={agent} onChange={(event) => setAgent(event.currentTarget.value)}>
            <option value="">whatever the token says</option>
            {choices?.agents.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label class="check">
          <input type="checkbox" checked={isShown} onChange={(event) => setShown(event.currentTarget.checked)} />
          Show the token
        </label>
      </div>
      {snippets(url).map(({ client, where, write }) => (
        <Lines key={client} client={client} where={where} copied={write(token)} shown={write(isShown ? token : MASK)} />
      ))}
    </details>
  );
}

interface LinesProps {
  readonly client: string;
  readonly where: string;
  readonly copied: string;
  readonly shown: string;
}

function Lines({ client, where, copied, shown }: LinesProps) {
  return (
    <div class="snippet pile">
      <h3 class="row">
        {client} <span class="dim">{where}</span>
        <CopyButton text={copied} what={`the lines for ${client}`} words="Copy" />
      </h3>
      <ShownCode text={shown} label={`Lines for ${client}`} />
    </div>
  );
}

const CLIENTS: readonly TableColumn[] = [
  ...["Client", "Token", "Protocol", "Agent", "Since"].map((name) => ({ name })),
  { name: "Calls", isNumber: true },
];

function Clients({ clients }: { readonly clients: readonly ClientView[] }) {
  return (
    <Table
      label="Connected clients"
      columns={CLIENTS}
      rows={clients.map(({ id, label, principal, era, agent, since, calls, machine, gets }) => ({
        key: id,
        cells: [
          <div key="label">
            <ShownText text={label} />
            {machine !== null && <ShownText in="div" class="dim fine" text={`on ${machine}`} />}
            {gets !== null && <ShownText in="div" class="dim fine" text={gets} />}
          </div>,
          <ShownText key="token" text={principal} />,
          wordsOfEra(era),
          agent === null ? "none" : <ShownText key="agent" text={agent} />,
          formatTime(since),
          formatCount(calls),
        ],
      }))}
    />
  );
}

interface Snippet {
  readonly client: string;
  readonly where: string;
  write(token: string): string;
}

function snippets(url: string): readonly Snippet[] {
  const headers = (token: string) => ({ Authorization: `Bearer ${token}` });
  return [
    {
      client: "Claude Code",
      where: "in a terminal",
      write: (token) => `claude mcp add --transport http toolcrib "${url}" --header "Authorization: Bearer ${token}"`,
    },
    {
      client: "VS Code",
      where: ".vscode/mcp.json",
      write: (token) => formatJson({ servers: { toolcrib: { type: "http", url, headers: headers(token) } } }),
    },
    {
      client: "Cursor",
      where: ".cursor/mcp.json",
      write: (token) => formatJson({ mcpServers: { toolcrib: { url, headers: headers(token) } } }),
    },
  ];
}
