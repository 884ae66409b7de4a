import type { Config, ServerConfig } from "../../../config/config.ts";
import { loginFolder } from "../../../config/layers/state-folder.ts";
import { isToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { toReportRow } from "../../../runtime/report/source-rows.ts";
import { createLoginStore, type Login, type LoginStore } from "../../../sources/mcp/oauth/login-store.ts";
import type { Revocation } from "../../../sources/mcp/oauth/revoke.ts";
import { hasCredentials } from "../../../sources/mcp/server-spec.ts";
import { escapeText, writeLines } from "../../../system/text/escape-text.ts";
import type { CommandInput } from "../command-line/command.ts";
import { printAnswer } from "../command-line/print-answer.ts";
import { settingPlaces } from "../running/work-place.ts";
import { openBrowser } from "./open-browser.ts";
import { findServer, startOne, unknownServer } from "./servers-start.ts";
import { describeLogin, describeRevocation, formatReports } from "./servers-text.ts";

/** How long a person may take in their browser. */
const PATIENCE = 10 * 60_000;

/** `toolcrib servers login NAME`: in a browser where the server offers that, else it says what to do with a token. */
export async function runLogin(input: CommandInput, config: Config, name: string): Promise<number> {
  const report = await startOne(input, config, name);
  const server = findServer(config, name);
  const remote = toRemote(server);
  const explain = (more: readonly string[] = []): number => {
    const steps = [...more.map(escapeText), ...describeLogin(report, server)];
    printAnswer(input, { server: toReportRow(report), steps }, () => `${steps.join("\n")}\n`);
    return report.state === "connected" ? 0 : 1;
  };
  if (remote === null || report.state !== "needs-auth") {
    const kept = remote === null ? null : await storeOf(input, remote.url).read();
    if (kept === null || report.state !== "connected") return explain();
    return explain([`It is logged in at ${kept.issuer}; for another login, first: toolcrib servers logout ${name}`]);
  }
  if (hasCredentials(remote.headers)) return explain();
  let login: Login;
  try {
    login = await ask(input, remote, server);
  } catch (error) {
    if (isToolcribError(error) && error.code === "login.not-offered") return explain([error.message]);
    throw error;
  }
  const after = await startOne(input, config, name);
  const expires = login.expires === null ? null : new Date(login.expires).toISOString();
  const about = { issuer: login.issuer, expires, renews: login.refresh !== null };
  printAnswer(
    input,
    { server: toReportRow(after), login: about },
    () => writeLines([`Logged in to ${name} at ${login.issuer}.`, ""]) + formatReports([after], input.io),
  );
  return after.state === "connected" ? 0 : 1;
}

/** How long the authorization server may take to hear of a logout. */
const REVOKING = 15_000;
const RENEWING = 5_000;

/** `toolcrib servers logout NAME`: forgets the tokens that are kept here, and has them revoked where that is offered. */
export async function runLogout(input: CommandInput, config: Config, name: string): Promise<number> {
  const server = findServer(config, name);
  if (server === undefined) throw unknownServer(config, name);
  const remote = toRemote(server);
  const store = remote === null ? null : storeOf(input, remote.url);
  // Forgotten first: whatever becomes of the rest, nothing here uses them any more.
  const forgotten = store === null ? null : await forget(store);
  const removed = forgotten?.removed === true;
  const revocation = remote === null || !forgotten?.login ? null : await revoke(forgotten.login, remote);
  const why = revocation?.kind === "failed" ? { reason: revocation.why } : {};
  const text = removed
    ? `Forgot the login at ${name}.${describeRevocation(revocation)}`
    : `There is no login at ${name}.`;
  printAnswer(input, { name, removed, revoked: revocation?.kind === "revoked", ...why }, () => writeLines([text]));
  return removed ? 0 : 1;
}

/** Not while somebody renews them, unless that takes for ever. */
async function forget(store: LoginStore): Promise<{ readonly login: Login | null; readonly removed: boolean }> {
  const patience = AbortSignal.timeout(RENEWING);
  const work = async () => ({ login: await store.read(), removed: await store.remove() });
  return store.alone(patience, work).catch((error: unknown) => {
    if (patience.aborted) return work();
    throw error;
  });
}

async function revoke(login: Login, { url }: Remote): Promise<Revocation> {
  const { revokeLogin } = await import("../../../sources/mcp/oauth/revoke.ts");
  return revokeLogin(login, { server: url, signal: AbortSignal.timeout(REVOKING) });
}

interface Remote {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

function toRemote(server: ServerConfig | undefined): Remote | null {
  const transport = server?.transport;
  if (transport?.type !== "http" && transport?.type !== "sse") return null;
  if (!URL.canParse(transport.url)) return null;
  return { url: new URL(transport.url), headers: Object.fromEntries(transport.headers) };
}

function storeOf({ io }: CommandInput, server: URL) {
  return createLoginStore(loginFolder(settingPlaces(io)), server);
}

/** Asks the person. Ctrl-C stops listening and waits for nothing. */
async function ask(input: CommandInput, { url, headers }: Remote, server: ServerConfig | undefined): Promise<Login> {
  const { io } = input;
  const { logIn } = await import("../../../sources/mcp/oauth/log-in.ts");
  const stop = new AbortController();
  let interrupted = false;
  let stopReading = (): void => {};
  const settings = server?.oauth ?? { clientId: null, clientSecret: null, scope: null, callbackPort: null };
  const work = logIn({
    server: url,
    headers,
    settings,
    store: storeOf(input, url),
    signal: stop.signal,
    patience: PATIENCE,
    show(address, paste) {
      tell(input, address);
      stopReading = io.onLine((line) => {
        if (line.trim() !== "" && !paste(line)) io.err("That is not the address this login returns to; look again.\n");
      });
    },
  });
  const release = io.onInterrupt(async () => {
    interrupted = true;
    stop.abort();
    await work.catch(() => undefined);
  });
  try {
    return await work;
  } finally {
    stopReading();
    // The signal ends this process now; whatever the command would still say is of no use.
    if (interrupted) await new Promise<never>(() => {});
    release();
  }
}

function tell({ io, args }: CommandInput, address: URL): void {
  const lines = [
    "To log in, open this address in a browser:",
    "",
    `  ${address.href}`,
    "",
    "If the browser runs on another machine, its last page will fail to load: paste that page's address here.",
  ];
  io.err(writeLines(lines));
  if (io.canAsk && !args.has("no-open")) void openBrowser(address, io.env);
}
