/** How a product writes what can be imported: one row for each kind of file. */
interface ProductRow {
  /** Keys down to its servers; of two places the first counts. `CWD` stands for the working folder. */
  readonly servers: readonly (readonly string[])[];
  /** Its file contains nothing but servers. */
  readonly isForServers?: boolean;
  /** `${NAME}` refers to a variable, except with `none`; `$NAME` too with `anywhere`, and with `whole` if it is all there is. */
  readonly references: "braces" | "none" | "anywhere" | "whole";
  /** The keys of a remote server's address, and the transport of each unless a type is given. */
  readonly addresses: readonly (readonly [key: string, type: "http" | "sse"])[];
  /** Addresses of the older transport. */
  readonly oldAddress?: RegExp;
  /** A server with an address and a command is reached by its address. */
  readonly prefersAddress?: boolean;
  readonly headers: string;
  /** Headers and variables can be given as names of variables. */
  readonly namesVariables?: boolean;
}

export const CWD = "\0cwd";

const USUAL = {
  servers: [["mcpServers"]],
  references: "braces",
  addresses: [
    ["url", "http"],
    ["serverUrl", "http"],
    ["httpUrl", "http"],
  ],
  headers: "headers",
} as const satisfies ProductRow;

const ROWS = {
  "claude-code": { ...USUAL, isForServers: true },
  "claude-desktop": { ...USUAL, references: "none" },
  "claude-home": { ...USUAL, servers: [["projects", CWD, "mcpServers"], ["mcpServers"]] },
  codex: { ...USUAL, servers: [["mcp_servers"]], references: "none", headers: "http_headers", namesVariables: true },
  copilot: { ...USUAL, isForServers: true, references: "whole" },
  cursor: { ...USUAL, isForServers: true },
  gemini: {
    ...USUAL,
    references: "anywhere",
    prefersAddress: true,
    addresses: [
      ["httpUrl", "http"],
      ["url", "sse"],
    ],
  },
  vscode: { ...USUAL, isForServers: true, servers: [["servers"], ["mcpServers"]] },
  "vscode-tool-sets": { ...USUAL, servers: [] },
  windsurf: { ...USUAL, isForServers: true, oldAddress: /\/sse\/?$/ },
  "deerflow-config": { ...USUAL, references: "whole", servers: [] },
  "deerflow-extensions": { ...USUAL, references: "whole" },
} as const satisfies Record<string, ProductRow>;

/** The product of a file. */
export type Product = keyof typeof ROWS;
export const PRODUCTS: Readonly<Record<Product, ProductRow>> = ROWS;
