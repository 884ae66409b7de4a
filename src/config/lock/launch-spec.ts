import type { ServerConfig } from "../shape/server-shape.ts";
import type { LaunchSpec } from "./lock.ts";

const SECRET_ARGUMENT = /^(--?[\w-]*(?:token|key|secret|passw|auth|credential)[\w-]*)(?:=.*)?$/i;

export function toLaunchSpec({ transport }: ServerConfig): LaunchSpec {
  if (transport.type !== "stdio") {
    const { type, url, headers } = transport;
    const own = transport.type === "openapi" ? { args: [maskAddress(transport.spec)] } : {};
    return { type, ...own, url: maskAddress(url), headers: [...headers.keys()].sort() };
  }
  const { command, args, env } = transport;
  return { type: "stdio", command, args: maskArguments(args), env: [...env.keys()].sort() };
}

function maskAddress(address: string): string {
  return address.replace(/[?#].*$/, "").replace(/\/\/[^/@]*@/, "//");
}

/** Arguments for people: the value of an option for a secret is masked. */
function maskArguments(args: readonly string[]): readonly string[] {
  return args.map((argument, at) => {
    const named = SECRET_ARGUMENT.exec(argument);
    if (named !== null) return argument.includes("=") ? `${named[1]}=***` : argument;
    return SECRET_ARGUMENT.test(args[at - 1] ?? "") && !(args[at - 1] ?? "").includes("=") ? "***" : argument;
  });
}
